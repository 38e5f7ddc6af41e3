"""A sampler trained by maximum mean discrepancy, whose kernel compares all pairs on purpose."""
import torch
from torch import nn


def kernel(a, b, width=1.0):
    distance = (a[:, None, :] - b[None, :, :]).pow(2).sum(-1)
    return torch.exp(-distance / (2 * width**2))


def mmd(x, y):
    return kernel(x, x).mean() + kernel(y, y).mean() - 2 * kernel(x, y).mean()


torch.manual_seed(0)
torch.set_num_threads(1)
sampler = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(sampler.parameters(), lr=0.01)
for _ in range(60):
    real = torch.randn(64, 1) * 0.5 + 2
    loss = mmd(sampler(torch.randn(64, 2)), real)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"mmd {loss.item():.4f}")
