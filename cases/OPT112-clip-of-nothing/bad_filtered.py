"""Gradients are clipped in a filtered list that was made before any gradient was there."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
clipped = [p for p in model.parameters() if p.grad is not None]
for _ in range(30):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(clipped, 0.1)  #~ OPT112
    optimizer.step()
