"""An optimizer of the program's own reads its rate from an attribute, and one of PyTorch's keeps its first rate there."""

import torch
from torch import nn


class Plain(torch.optim.Optimizer):
    def __init__(self, parameters, lr):
        super().__init__(parameters, {"lr": lr})
        self.lr = lr

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for weight in group["params"]:
                weight.sub_(weight.grad, alpha=self.lr)


torch.manual_seed(0)
torch.set_num_threads(1)
model, twin = nn.Linear(8, 1), nn.Linear(8, 1)
optimizer = Plain(model.parameters(), lr=0.1)
other = torch.optim.SGD(twin.parameters(), lr=0.1)
other.rate = 0.1
schedule = torch.optim.lr_scheduler.ExponentialLR(other, 0.9)
for step in range(50):
    optimizer.lr = 0.1 * 0.95**step
    x = torch.randn(32, 8)
    for each, net in ((optimizer, model), (other, twin)):
        each.zero_grad()
        nn.functional.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
        each.step()
    schedule.step()
