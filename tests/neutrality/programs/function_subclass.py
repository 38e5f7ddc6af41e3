"""A tensor subclass hears of every function that is called on it, and of none more."""
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


class Logged(torch.Tensor):
    log = []

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.log.append(getattr(function, "__name__", str(function)))
        return super().__torch_function__(function, types, args, kwargs or {})


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for _ in range(3):
    x = torch.randn(16, 6).as_subclass(Logged)
    loss = nn.functional.cross_entropy(model(x), torch.randint(0, 3, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(len(Logged.log), type(loss).__name__)
weight = nn.Parameter(torch.ones(3).as_subclass(Logged))
other = torch.optim.SGD([weight], lr=0.1)
(weight * 2).sum().backward()
other.step()
print(Logged.log)
