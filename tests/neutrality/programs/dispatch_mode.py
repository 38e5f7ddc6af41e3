"""A dispatch mode of the program hears of every operation, and of none more."""
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


from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode


class Log(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.log = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.log.append(str(function))
        return function(*args, **(kwargs or {}))


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
with Log() as whole:
    print(train(model, optimizer, steps=3).item())
print(len(whole.log), whole.log)
for _ in range(3):
    x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
    with Log() as forward:
        loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    with Log() as backward:
        loss.backward()
    with Log() as step:
        optimizer.step()
    print(len(forward.log), len(backward.log), len(step.log))
with FlopCounterMode(display=False) as counter:
    train(model, optimizer, steps=2)
print(counter.get_total_flops())
