"""Similarities of all pairs in a batch, and a matrix of neighbours added to its transpose: one meaning on two axes."""

import torch
from torch import nn
from torch.nn import functional as F

import tensan

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(30):
    x = tensan.axes(torch.randn(16, 16), "B D")
    near = tensan.axes((torch.cdist(x, x) < 5).float(), "B B")
    z = F.normalize(model(x), dim=1)
    similar = z @ z.t()
    loss = ((similar + similar.t()) / 2 - near).square().mean() + 1e-3 * (z.t() @ z).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
