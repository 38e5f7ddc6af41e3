"""Frames are stacked as the channels of a convolution, as players of games do, where there are as many frames as rows."""

import torch
from torch import nn
from torch.nn import functional as F

import tensan

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Conv2d(8, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(12 * 36, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(30):
    frames = tensan.axes(torch.randn(12, 8, 8, 8), "B T H W")
    loss = F.cross_entropy(model(frames), (frames[:, -1].mean((1, 2)) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
