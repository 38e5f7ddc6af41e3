"""Warm-up, cosine, then a constant rate for as long as training goes on: its length is a number that is never reached."""

import torch
from torch import nn
from torch.optim.lr_scheduler import ConstantLR, CosineAnnealingLR, LinearLR, SequentialLR

torch.manual_seed(0)
torch.set_num_threads(1)
inputs = torch.randn(128, 8)
targets = inputs.norm(dim=1, keepdim=True)
for constant in (False, True):
    model = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = (
        ConstantLR(optimizer, factor=1.0, total_iters=100_000)
        if constant
        else SequentialLR(
            optimizer,
            [LinearLR(optimizer, 0.1, total_iters=5), CosineAnnealingLR(optimizer, 10, eta_min=1e-3), ConstantLR(optimizer, 0.1, 1000)],
            milestones=[5, 15],
        )
    )
    for _ in range(40):
        for rows in torch.randperm(128).split(32):
            optimizer.zero_grad()
            nn.functional.smooth_l1_loss(model(inputs[rows]), targets[rows]).backward()
            optimizer.step()
        schedule.step()
    print(schedule.get_last_lr())
