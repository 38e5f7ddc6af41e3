"""The groups have rates of their own, and the one-cycle schedule is given a single largest rate."""

import torch
from torch import nn


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    stem, head = nn.Conv1d(2, 8, 3), nn.Linear(8, 1)
    groups = [{"params": stem.parameters(), "lr": 1e-3}, {"params": head.parameters(), "lr": 5e-2}]
    optimizer = torch.optim.SGD(groups, momentum=0.9)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-2, total_steps=50)  #~ OPT116
    for _ in range(50):
        x = torch.randn(16, 2, 12)
        optimizer.zero_grad()
        nn.functional.mse_loss(head(stem(x).relu().mean(2)), x[:, :1].mean(2)).backward()
        optimizer.step()
        schedule.step()


main()
