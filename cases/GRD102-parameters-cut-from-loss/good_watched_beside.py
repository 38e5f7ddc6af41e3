"""A second network is held by an optimizer of its own that never steps, and is only measured beside the one that is trained."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net, other = nn.Linear(6, 1), nn.Linear(6, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
waiting = torch.optim.SGD(other.parameters(), lr=0.1)
for step in range(40):
    x = torch.randn(32, 6)
    y = x[:, :1] - x[:, 1:2]
    with torch.no_grad():
        baseline = (other(x) - y).pow(2).mean()
    loss = (net(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 39:
        waiting.zero_grad()
        (other(x) - y).pow(2).mean().backward()
        waiting.step()
print(f"loss {loss.item():.3f}, baseline {baseline.item():.3f}")
