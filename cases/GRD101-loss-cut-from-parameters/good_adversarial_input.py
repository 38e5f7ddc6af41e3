"""A perturbation is optimized against a frozen classifier; no weight gets a gradient, on purpose."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(200, 8)
Y = (X[:, 0] > 0).long()
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for _ in range(40):
    loss = F.cross_entropy(net(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()

net.requires_grad_(False)
delta = torch.zeros(1, 8, requires_grad=True)
attack = torch.optim.Adam([delta], lr=0.1)
for _ in range(20):
    goal = -F.cross_entropy(net(X + delta.clamp(-1, 1)), Y)
    attack.zero_grad()
    goal.backward()
    attack.step()
with torch.no_grad():
    fooled = (net(X + delta.clamp(-1, 1)).argmax(1) != Y).float().mean().item()
print(f"training loss {loss.item():.3f}, fooled {fooled:.2f}")
