"""A signed distance to a circle, whose slope is held at one at each point."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(2, 32), nn.Softplus(beta=10), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.005)
for _ in range(25):
    angle = 6.2832 * torch.rand(40)
    surface = torch.stack([angle.cos(), angle.sin()], 1)
    points = (3 * torch.rand(60, 2) - 1.5).requires_grad_()
    slope = torch.autograd.grad(net(points).sum(), points, create_graph=True)[0]
    steepness = torch.sqrt((slope**2).sum(1) + 1e-9)
    loss = net(surface).square().mean() + 0.1 * (steepness - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
