"""Adversarial training: the input is a leaf that gets a gradient, and no optimizer should own it."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 10)
Y = (X[:, 0] * X[:, 1] > 0).long()
net = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 2))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)


def fgsm(x, y, eps=0.05):
    x = x.clone().requires_grad_(True)
    F.cross_entropy(net(x), y).backward()
    return (x + eps * x.grad.sign()).detach()


for step in range(40):
    idx = torch.randperm(256)[:64]
    adv = fgsm(X[idx], Y[idx])
    opt.zero_grad()
    loss = F.cross_entropy(net(adv), Y[idx])
    loss.backward()
    opt.step()
print(f"adversarial loss {loss.item():.3f}")
