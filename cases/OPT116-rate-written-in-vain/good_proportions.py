"""Warm-up by hand and a one-cycle schedule, both of which keep the proportions of the groups."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def build():
    body, head = nn.Linear(8, 16), nn.Linear(16, 1)
    groups = [{"params": body.parameters(), "lr": 1e-3}, {"params": head.parameters(), "lr": 1e-2}]
    return nn.Sequential(body, nn.ReLU(), head), torch.optim.Adam(groups)


def train(model, optimizer, before, after):
    for step in range(40):
        before(step)
        x = torch.randn(32, 8)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        after()


model, optimizer = build()
rates = [group["lr"] for group in optimizer.param_groups]


def warm_up(step):
    for group, rate in zip(optimizer.param_groups, rates):
        group["lr"] = rate * min(step / 10, 1.0)


train(model, optimizer, warm_up, lambda: None)

model, optimizer = build()
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=[1e-3, 1e-2], total_steps=40)
train(model, optimizer, lambda step: None, schedule.step)
