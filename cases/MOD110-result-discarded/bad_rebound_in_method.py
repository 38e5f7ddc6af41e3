"""A moving average whose `update` gives the variable of its loop a new value and leaves the average as it was."""

import copy

import torch
from torch import nn


class Average:
    def __init__(self, model, decay):
        self.decay = decay
        self.model = copy.deepcopy(model).requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for slow, fast in zip(self.model.parameters(), model.parameters()):
            slow = self.decay * slow + (1 - self.decay) * fast  #~ MOD110


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
print(average.model.weight)
