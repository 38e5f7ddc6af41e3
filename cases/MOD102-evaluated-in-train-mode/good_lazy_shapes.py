"""A dummy forward under no_grad in train mode fills in lazy shapes before training starts."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Dropout2d(0.1), nn.Flatten(), nn.LazyLinear(2))
with torch.no_grad():
    net(torch.zeros(2, 1, 7, 7))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
X = torch.randn(240, 1, 7, 7)
Y = (X[:, 0, 3, 3] > 0).long()
for epoch in range(5):
    net.train()
    for idx in torch.randperm(180).split(20):
        opt.zero_grad()
        nn.functional.cross_entropy(net(X[idx]), Y[idx]).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        accuracy = (net(X[180:]).argmax(1) == Y[180:]).float().mean().item()
print(f"accuracy {accuracy:.3f}")
