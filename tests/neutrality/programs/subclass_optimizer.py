"""Optimizers of the program itself, which call super()."""
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


class Decayed(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, decay=0.99):
        super().__init__(params, {"lr": lr, "decay": decay})
        self.calls = []

    def add_param_group(self, group):
        super().add_param_group(group)
        print("group", len(group["params"]))

    def zero_grad(self, set_to_none=True):
        self.calls.append("zero_grad")
        super().zero_grad(set_to_none=set_to_none)

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.add_(p.grad, alpha=-group["lr"])
            group["lr"] *= group["decay"]
        self.calls.append("step")
        return loss


class Louder(torch.optim.SGD):
    def step(self, closure=None):
        print("louder")
        return super().step(closure)


model = Net()
optimizer = Decayed(model.parameters())
optimizer.add_param_group({"params": [torch.nn.Parameter(torch.zeros(2))], "lr": 0.5})
train(model, optimizer)
print(optimizer.calls, [group["lr"] for group in optimizer.param_groups], optimizer)
print(train(model, Louder(model.parameters(), lr=0.1), steps=2).item(), Decayed.step.__name__, Decayed.step.__qualname__)
