"""Every fold makes a new network and a new optimizer for it; the old ones are dropped."""
import torch
from torch import nn


def fit(x, y):
    net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    for _ in range(25):
        opt.zero_grad()
        (net(x) - y).pow(2).mean().backward()
        opt.step()
    return net


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(150, 4)
Y = X[:, :1] + X[:, 1:2]
folds = torch.randperm(150).chunk(3)
errors = []
for k in range(3):
    train = torch.cat([folds[i] for i in range(3) if i != k])
    net = fit(X[train], Y[train])
    with torch.no_grad():
        errors.append((net(X[folds[k]]) - Y[folds[k]]).pow(2).mean().item())
print("fold errors", [round(e, 3) for e in errors])
