"""Single samples, but BatchNorm is frozen in eval mode with the statistics of an earlier training."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(200, 5) * 2 + 1
Y = (X[:, 0] > 1).long()
net = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for idx in torch.randperm(200).split(20):
    opt.zero_grad()
    nn.functional.cross_entropy(net(X[idx]), Y[idx]).backward()
    opt.step()

net.train()
net[1].eval()
fine = torch.optim.SGD(net.parameters(), lr=0.01)
for i in torch.randperm(200)[:50].tolist():
    loss = nn.functional.cross_entropy(net(X[i : i + 1]), Y[i : i + 1])
    fine.zero_grad()
    loss.backward()
    fine.step()
net.eval()
with torch.no_grad():
    print(f"accuracy {(net(X).argmax(1) == Y).float().mean().item():.3f}")
