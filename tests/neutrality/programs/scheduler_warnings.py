"""Warnings that torch gives about schedules: the same ones, from the same places."""
import warnings

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

warnings.simplefilter("always")


def run(order):
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    with warnings.catch_warnings(record=True) as caught:
        for _ in range(2):
            model(torch.ones(1, 2)).sum().backward()
            for name in order:
                optimizer.step() if name == "o" else schedule.step()
        schedule.step(3)
        torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3, last_epoch=-1).step()
        schedule.get_lr()
    for warning in caught:
        print(order, warning.category.__name__, str(warning.message)[:60], warning.filename.rsplit("/", 1)[-1], warning.lineno)


run("os")
run("so")
