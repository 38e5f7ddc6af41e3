"""Epochs without a record are counted for the report alone, and nothing ends by them."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(220, 6)
y = x[:, :1].sin() + 0.3 * torch.randn(220, 1)
model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.12, momentum=0.8)
lowest, stale, _ = float("inf"), 0, 8
for epoch in range(60):
    model.train()
    for rows in torch.randperm(160).split(10):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        error = nn.functional.mse_loss(model(x[160:]), y[160:]).item()
    if error < lowest:
        lowest = error
    else:
        stale += 1
print(f"lowest {lowest:.3f}, {stale} epochs without a record")
