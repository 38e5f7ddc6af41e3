"""Each layer is made by itself, and a cell is named twice in a sequence to be run twice."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
widths = [8] * 4
cell = nn.Linear(8, 8)
net = nn.Sequential(
    *[nn.Linear(width, 8) for width in widths], nn.Sequential(cell, nn.Tanh(), cell), *[copy.deepcopy(cell) for _ in range(2)], nn.Linear(8, 1)
)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
