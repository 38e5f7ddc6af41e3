"""The schedule is made for a wrapper that hands on the groups of the optimizer inside it, and its rate is constant."""

import torch
from torch import nn


class Wrapper(torch.optim.Optimizer):
    def __init__(self, optimizer):
        self.optimizer = optimizer

    @property
    def param_groups(self):
        return self.optimizer.param_groups

    @property
    def defaults(self):
        return self.optimizer.defaults

    def step(self, closure=None):
        return self.optimizer.step(closure)

    def zero_grad(self, set_to_none=True):
        self.optimizer.zero_grad(set_to_none)


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(4, 1)
optimizer = Wrapper(torch.optim.SGD(model.parameters(), lr=0.1))
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
for _ in range(60):
    x = torch.randn(32, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    schedule.step()
