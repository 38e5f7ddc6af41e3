"""The outer loop is the one over the iterator; the inner one goes over a list in each of its passes."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
batches = zip(torch.randn(320, 6).split(64), range(5))
for x, number in batches:
    parts = iter(x.split(16))
    for part in parts:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(part), part.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
