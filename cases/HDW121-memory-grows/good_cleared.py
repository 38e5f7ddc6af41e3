"""Outputs are gathered through an epoch of many steps, and the list is emptied at its end."""

import torch
from torch import nn


class Meter:
    def __init__(self):
        self.outputs, self.targets = [], []
        self.seen = []

    def add(self, output, target):
        self.outputs.append(output.detach())
        self.targets.append(target)
        self.seen.append(output.detach())

    def reset(self):
        accuracy = (torch.cat(self.outputs).argmax(1) == torch.cat(self.targets)).float().mean()
        self.outputs, self.targets = [], []
        self.seen.clear()
        return accuracy.item()


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(10, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
meter = Meter()
for epoch in range(2):
    for _ in range(100):
        x = torch.randn(32, 10)
        y = x.argmax(1)
        logits = model(x)
        optimizer.zero_grad()
        nn.functional.cross_entropy(logits, y).backward()
        optimizer.step()
        meter.add(logits, y)
    print(f"accuracy {meter.reset():.2f}")
