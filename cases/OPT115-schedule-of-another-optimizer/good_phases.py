"""Two phases with an optimizer and a schedule each; the second one trains the same parameters at a constant rate of its own."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(8, 1)


def run(optimizer, steps, schedule=None):
    for _ in range(steps):
        x = torch.randn(32, 8)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        if schedule is not None:
            schedule.step()


first = torch.optim.SGD(model.parameters(), lr=0.05)
run(first, 30, torch.optim.lr_scheduler.ExponentialLR(first, 0.9))
run(torch.optim.Adam(model.parameters(), lr=1e-4), 30)
