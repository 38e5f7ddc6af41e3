"""Sums over the whole batch that are meant: a penalty on the squared slope at real samples, one sample alone, and a map of weights."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, 1))
scale = nn.Parameter(1 + 0.2 * torch.randn(4, 3))
optimizer = torch.optim.Adam([*net.parameters(), scale], lr=0.005)
for _ in range(25):
    real = torch.randn(32, 3).requires_grad_()
    (slope,) = torch.autograd.grad(net(real).sum(), real, create_graph=True)
    flat = slope.square().sum() / len(real)
    alone = torch.randn(1, 3).requires_grad_()
    (one,) = torch.autograd.grad(net(alone).sum(), alone, create_graph=True)
    unit = (one.norm() - 1) ** 2
    (moved,) = torch.autograd.grad(net(real @ scale.mean(0).diag()).mean(), scale, create_graph=True)
    loss = -net(real).mean() + flat + unit + 0.1 * (moved.norm() - 1) ** 2 + 0.1 * (scale.norm() - 1) ** 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
