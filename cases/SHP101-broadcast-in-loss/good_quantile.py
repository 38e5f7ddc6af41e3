"""Quantile regression: outputs [N, Q] against targets [N, 1], one target for all quantiles of a sample."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
levels = torch.tensor([0.1, 0.5, 0.9])
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), lr=0.02)


def pinball(out, target):
    gap = target - out
    return torch.maximum(levels * gap, (levels - 1) * gap).mean()


for _ in range(80):
    x = torch.rand(64, 1)
    y = x + (0.1 + x) * torch.randn(64, 1)
    loss = pinball(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    x = torch.rand(2000, 1)
    cover = (x + (0.1 + x) * torch.randn(2000, 1) < net(x)).float().mean(0)
print("coverage", [round(c, 2) for c in cover.tolist()])
