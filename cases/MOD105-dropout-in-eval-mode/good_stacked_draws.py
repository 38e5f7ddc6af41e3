"""Monte Carlo dropout in one batch: each sample stands there ten times, and the functional dropout is always on."""
import torch
from torch import nn
import torch.nn.functional as F


class Bayesian(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 32), nn.Linear(32, 1)

    def forward(self, x):
        return self.b(F.dropout(torch.relu(self.a(x)), p=0.2))


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 4)
Y = X.sum(1, keepdim=True)
net = Bayesian()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(60):
    idx = torch.randint(0, 192, (32,))
    loss = F.mse_loss(net(X[idx]), Y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
net.eval()
with torch.no_grad():
    draws = net(X[192:].repeat(10, 1)).view(10, 64)
print(f"spread {draws.std(0).mean().item():.3f}")
