"""Outputs that are clamped and learn: a bias lies within the bounds, a spread's logarithm is bounded far out, and a budget is kept."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
weather = torch.randn(400, 6)
loads = (5 + weather[:, 0] + 0.3 * torch.randn(400)).clamp(2, 9)
mean, spread = nn.Linear(6, 1), nn.Linear(6, 1)
nn.init.constant_(mean.bias, 5.0)
optimizer = torch.optim.Adam([*mean.parameters(), *spread.parameters()], lr=3e-3)
for step in range(60):
    rows = torch.randint(0, 400, (40,))
    middle = mean(weather[rows]).squeeze(1).clamp(2.0, 9.0)
    width = spread(weather[rows]).squeeze(1).clamp(-5.0, 2.0)
    wanted = 0.5 * ((loads[rows] - middle) / width.exp()) ** 2 + width
    budget = torch.clamp(mean.weight.norm() - 50.0, min=0.0)
    loss = wanted.mean() + budget
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
