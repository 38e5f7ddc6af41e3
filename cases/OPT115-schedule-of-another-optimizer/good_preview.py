"""A schedule is tried out on a dummy optimizer to print its curve, and its values are given to the real one by hand."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(8, 1)
dummy = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
curve = torch.optim.lr_scheduler.CosineAnnealingLR(dummy, 40)
rates = []
for _ in range(40):
    rates.append(curve.get_last_lr()[0])
    dummy.step()
    curve.step()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
shadow = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.ExponentialLR(shadow, 0.95)
for step in range(40):
    x = torch.randn(32, 8)
    for group in optimizer.param_groups:
        group["lr"] = shadow.param_groups[0]["lr"]
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    schedule.step()
