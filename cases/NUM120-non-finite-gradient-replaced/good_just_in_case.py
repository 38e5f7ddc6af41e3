"""Gradients that are always finite are washed all the same."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
x = torch.randn(64, 8)
y = x.sum(1, keepdim=True)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(20):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    for parameter in model.parameters():
        parameter.grad.nan_to_num_(nan=0.0, posinf=1.0, neginf=-1.0)
    optimizer.step()
print(f"loss {loss.item():.3f}")
