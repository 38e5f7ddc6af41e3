"""Modules that override train, eval, zero_grad, state_dict and load_state_dict and call super()."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.norm = nn.BatchNorm1d(12)
        self.drop = nn.Dropout(0.3)
        self.last = nn.Linear(12, 3)

    def forward(self, x):
        return self.last(self.drop(torch.relu(self.norm(self.first(x)))))


def train(model, optimizer, steps=5):
    for _ in range(steps):
        x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


class Frozen(Net):
    def train(self, mode=True):
        super().train(mode)
        self.norm.eval()
        print("train", mode)
        return self

    def eval(self):
        print("eval")
        return super().eval()

    def zero_grad(self, set_to_none=True):
        print("zero")
        super().zero_grad(set_to_none)

    def state_dict(self, *args, **kwargs):
        return {"extra": torch.ones(1), **super().state_dict(*args, **kwargs)}

    def load_state_dict(self, state_dict, strict=True, assign=False):
        return super().load_state_dict({k: v for k, v in state_dict.items() if k != "extra"}, strict, assign)

    def __call__(self, *args):
        print("called")
        return super().__call__(*args)


model = Frozen().train()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, steps=2)
model.zero_grad()
print(list(model.state_dict()), model.load_state_dict(model.state_dict()), model.eval() is model, model.norm.training)
