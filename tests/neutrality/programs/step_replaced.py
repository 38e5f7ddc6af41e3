"""The program replaces `step` and wraps it, as schedulers and libraries do."""
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


import functools
import types

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
original = optimizer.step


@functools.wraps(original)
def step(self, closure=None):
    print("before", closure)
    result = original(closure)
    print("after", result)
    return result


optimizer.step = types.MethodType(step, optimizer)
train(model, optimizer, steps=2)
print(hasattr(torch.optim.AdamW.step, "hooked"), torch.optim.AdamW.step.__qualname__, optimizer.step.__name__)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
print(hasattr(optimizer.step, "_wrapped_by_lr_sched"))
train(model, optimizer, steps=1)
schedule.step()
