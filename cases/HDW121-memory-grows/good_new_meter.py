"""A meter of a trainer is made anew for each epoch, and so is a list that a function makes known to the module."""

import torch
from torch import nn

kept: list = None


def begin():
    global kept
    kept = []


class Meter:
    def __init__(self):
        self.outputs = []


class Trainer:
    def __init__(self):
        self.model = nn.Linear(8, 80)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)
        self.meter = Meter()

    def epoch(self):
        self.meter = Meter()
        begin()
        for _ in range(110):
            x = torch.randn(32, 8)
            output = self.model(x)
            self.meter.outputs.append(output.detach())
            kept.append(output.detach().relu())
            self.optimizer.zero_grad()
            (output.mean(1) - x.mean(1)).square().mean().backward()
            self.optimizer.step()
        print(len(self.meter.outputs), len(kept))


torch.manual_seed(0)
torch.set_num_threads(1)
trainer = Trainer()
trainer.epoch()
trainer.epoch()
