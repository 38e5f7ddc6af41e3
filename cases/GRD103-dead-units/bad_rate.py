"""A learning rate that is far too large throws all hidden units below zero in its first steps."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=30.0)  #~ GRD103
for step in range(60):
    x = torch.rand(64, 10)
    y = x.sum(1, keepdim=True) + 3
    loss = nn.functional.smooth_l1_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
