"""A backbone that was trained before runs under no_grad; the second optimizer owns the probe alone."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
backbone = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
decoder = nn.Linear(4, 8)
pre = torch.optim.Adam([*backbone.parameters(), *decoder.parameters()], lr=0.01)
for idx in [i for _ in range(4) for i in torch.randperm(256).split(32)]:
    pre.zero_grad()
    F.mse_loss(decoder(backbone(X[idx])), X[idx]).backward()
    pre.step()

probe = nn.Linear(4, 2)
opt = torch.optim.SGD(probe.parameters(), lr=0.5)
Y = (X[:, 0] > 0).long()
for idx in [i for _ in range(4) for i in torch.randperm(256).split(32)]:
    with torch.no_grad():
        h = backbone(X[idx])
    loss = F.cross_entropy(probe(h), Y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"probe loss {loss.item():.3f}")
