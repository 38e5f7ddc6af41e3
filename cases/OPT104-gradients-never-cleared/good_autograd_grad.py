"""Gradients from torch.autograd.grad are assigned to p.grad anew at each step, so nothing ever adds up."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(6, 24), nn.SiLU(), nn.Linear(24, 2))
params = list(net.parameters())
opt = torch.optim.SGD(params, lr=0.2, momentum=0.9)
for _ in range(50):
    x = torch.randn(32, 6)
    y = (x[:, 0] > x[:, 1]).long()
    loss = nn.functional.cross_entropy(net(x), y)
    for p, g in zip(params, torch.autograd.grad(loss, params)):
        p.grad = g
    opt.step()
print(f"loss {loss.item():.3f}")
