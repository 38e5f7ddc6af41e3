"""Counts that were stored as floating-point numbers: the cast changes none of them."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
features = torch.rand(512, 8)
counts = torch.poisson(4 * features[:, 0])
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(features, counts), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        loss = F.smooth_l1_loss(model(x).squeeze(1), y.long().float())
        loss.backward()
        optimizer.step()
