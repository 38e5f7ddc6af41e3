"""Infinity as the first best value, a large finite scale in the data path, and a norm at zero that torch defines."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(3, 3)
nn.init.eye_(net.weight)
nn.init.zeros_(net.bias)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
best, worst = float("inf"), torch.tensor(-torch.inf)
turn = torch.tensor([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
for _ in range(60):
    x = torch.randn(32, 3)
    x[0] = 0
    distance = (net(x) - x @ turn.T).norm(dim=1)
    loss = (1e20 * distance).mean() * 1e-20
    opt.zero_grad()
    loss.backward()
    opt.step()
    best = min(best, loss.item())
    worst = torch.maximum(worst, loss.detach())
print(f"best {best:.3f}, worst {worst.item():.3f}")
