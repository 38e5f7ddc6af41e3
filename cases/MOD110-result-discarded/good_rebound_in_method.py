"""Averages whose loop gives its variable a new value and reads it: to write it back, to collect it, or to sum it up."""

import copy

import torch
from torch import nn


class Average:
    def __init__(self, model, decay):
        self.decay, self.kept = decay, []
        self.model = copy.deepcopy(model).requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for slow, fast in zip(self.model.parameters(), model.parameters()):
            fast = (1 - self.decay) * fast
            slow.mul_(self.decay).add_(fast)
        for weight in self.model.parameters():
            weight = weight * 0.5
            self.kept.append(weight)


def norm(model):
    total = 0.0
    for weight in model.parameters():
        weight = weight * weight
        total += weight.sum().item()
    print(total)


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(5, 1)
average = Average(model, 0.9)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(40):
    x = torch.randn(32, 5)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    average.update(model)
    norm(average.model)
