"""A cosine that goes round three times on purpose, with a snapshot at the foot of each wave."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
inputs = torch.randn(128, 8)
targets = torch.sin(inputs[:, :1])
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
waves = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10, eta_min=1e-4)
snapshots = []
for epoch in range(60):
    for rows in torch.randperm(128).split(32):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs[rows]), targets[rows]).backward()
        optimizer.step()
    waves.step()
    if epoch % 20 == 9:
        snapshots.append(copy.deepcopy(model.state_dict()))
print(len(snapshots), "snapshots")
