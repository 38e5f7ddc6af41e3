"""Methods of the same names on things that are no tensors: sets, queues, loggers, arrays of a class of the program's own."""

import queue

import torch
from torch import nn


class Meter:
    def __init__(self):
        self.total = 0.0

    def mul(self, factor):
        self.total *= factor
        return self

    def clamp(self, low):
        self.total = max(self.total, low)

    def log(self, value):
        self.total += float(value)


class Model(nn.Module):
    def __init__(self, meter):
        super().__init__()
        self.layer, self.meter = nn.Linear(8, 1), meter

    def forward(self, x):
        out = self.layer(x)
        self.meter.log(out.detach().mean())
        self.meter.clamp(0.0)
        return out


torch.manual_seed(0)
torch.set_num_threads(1)
meter, waiting, seen = Meter(), queue.Queue(), set()
model = Model(meter)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(30):
    x = torch.randn(16, 8)
    seen.add(step)
    waiting.put(x)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
    meter.mul(0.9)
    meter.log(loss.detach())
