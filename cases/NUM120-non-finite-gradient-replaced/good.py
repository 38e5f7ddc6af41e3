"""The distances have a floor under the root, and the gradients are clipped."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 2))
points = torch.randn(64, 8)
wanted = torch.cdist(points, points)
scale = nn.Parameter(torch.ones(()))
optimizer = torch.optim.Adam([*model.parameters(), scale], lr=1e-2)
for step in range(20):
    embedded = model(points)
    distances = ((embedded[:, None] - embedded[None]).pow(2).sum(2) + 1e-8).sqrt()
    loss = (scale * distances - wanted).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(f"loss {loss.item():.3f}")
