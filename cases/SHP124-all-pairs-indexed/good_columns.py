"""Sensors are put in another order and some are left out, as many as there are rows; each row is weighted by its age."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(7, 20)
kept = torch.tensor([0, 2, 3, 5, 8, 9, 11, 12, 14, 15, 17, 19])
turned = torch.randperm(12)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
truth = torch.randn(7, 12)
for _ in range(30):
    x, age = torch.randn(12, 7), torch.rand(12)
    guessed = model(x)[:, kept][:, turned]
    loss = (age[:, None] * (guessed - x @ truth) ** 2).mean() + 1e-3 * (age[:, None] * model(x)[:, kept]).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
