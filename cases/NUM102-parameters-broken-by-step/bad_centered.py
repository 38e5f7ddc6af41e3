"""Centered RMSprop without `eps` takes the root of a variance that rounding has taken below zero."""
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)

net = nn.Linear(4, 8)
opt = torch.optim.RMSprop(net.parameters(), lr=0.01, centered=True, alpha=0.5, eps=0.0)  #~ NUM102
x = torch.randn(16, 4)
for step in range(200):
    loss = net(x).sum() * 3.3
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
