"""Snapshot ensemble: each cycle builds a cosine of its own length and sets the rate back before it starts."""
import copy
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.5)
members, per_cycle = [], 20
X = torch.randn(200, 4)
Y = (X[:, 0] + X[:, 1] > 0).long()
for cycle in range(3):
    for group in opt.param_groups:
        group["lr"] = 0.3
    schedule = CosineAnnealingLR(opt, T_max=per_cycle)
    for _ in range(per_cycle):
        idx = torch.randint(0, 200, (40,))
        loss = nn.functional.cross_entropy(net(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        schedule.step()
    members.append(copy.deepcopy(net))
with torch.no_grad():
    vote = torch.stack([m(X).softmax(1) for m in members]).mean(0)
print(f"ensemble accuracy {(vote.argmax(1) == Y).float().mean().item():.3f}")
