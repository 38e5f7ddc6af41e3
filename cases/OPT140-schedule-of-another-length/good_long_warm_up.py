"""The warm-up of a published recipe, 4000 steps, in a short run: linear, then as an inverse square root."""

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

torch.manual_seed(0)
torch.set_num_threads(1)
inputs = torch.randn(160, 8)
targets = inputs.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))


def train(optimizer, schedule):
    for _ in range(10):
        for rows in torch.randperm(160).split(16):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(inputs[rows]), targets[rows]).backward()
            optimizer.step()
            schedule.step()
    print(schedule.get_last_lr())


optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
train(optimizer, LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4000)))
optimizer = torch.optim.Adam(model.parameters(), lr=1.0)
train(optimizer, LambdaLR(optimizer, lambda step: 16**-0.5 * min((step + 1) ** -0.5, (step + 1) * 4000**-1.5)))
