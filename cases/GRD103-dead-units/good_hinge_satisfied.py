"""A hinge loss that is already satisfied gives zero gradients everywhere: the units live, and the task is done."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.cat([torch.randn(100, 2) * 0.3 + 2, torch.randn(100, 2) * 0.3 - 2])
Y = torch.cat([torch.ones(100, 1), -torch.ones(100, 1)])
net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(60):
    idx = torch.randint(0, 200, (40,))
    loss = torch.relu(1 - Y[idx] * net(X[idx])).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    print(f"loss {loss.item():.3f}, accuracy {((net(X) * Y) > 0).float().mean().item():.3f}")
