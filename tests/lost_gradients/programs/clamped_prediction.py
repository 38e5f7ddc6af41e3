#~ zero: GRD104
"""The prediction is clamped to a range in which it does not lie."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(32, 6)
    y = x[:, :1] - x[:, 1:2]
    loss = (net(x).clamp(10, 20) - y).pow(2).mean()  #~ here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
