"""A predicted variance is clamped from below, and only for some samples: the loss is that of a normal distribution."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(400, 5)
y = x.sum(1) + 0.1 * torch.randn(400)
model = nn.Linear(5, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for rows in torch.randperm(400).split(20):
    mean, raw = model(x[rows]).unbind(1)
    variance = nn.functional.softplus(raw).clamp(min=1e-3)
    loss = (0.5 * variance.log() + 0.5 * (y[rows] - mean) ** 2 / variance).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
