"""A model with binary stochastic units samples them in evaluation too: draws that are no dropout."""
import torch
from torch import nn
import torch.nn.functional as F


class Stochastic(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 24), nn.Linear(24, 3)

    def forward(self, x):
        p = torch.sigmoid(self.a(x))
        h = torch.bernoulli(p.detach()) + p - p.detach()
        return self.b(h * torch.rand_like(h).gt(0.1))


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 6)
Y = X[:, :3].argmax(1)
net = Stochastic()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    net.train()
    for idx in torch.randperm(192).split(32):
        opt.zero_grad()
        F.cross_entropy(net(X[idx]), Y[idx]).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        print(f"accuracy {(net(X[192:]).argmax(1) == Y[192:]).float().mean():.3f}")
