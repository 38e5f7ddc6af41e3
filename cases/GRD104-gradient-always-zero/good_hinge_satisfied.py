"""A hinge that all samples satisfy after some steps."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(6, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(32, 6)
    y = x[:, :1] - x[:, 1:2]
    loss = (1 - (2 * (x[:, :1] > 0) - 1) * net(x * (x[:, :1].abs() > 1)) * 20).clamp_min(0).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
