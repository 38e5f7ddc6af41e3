"""The features of a first network are computed with gradients off, though the optimizer holds it."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

net = nn.Linear(6, 8)
head = nn.Linear(8, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
for step in range(40):
    x = torch.randn(32, 6)
    y = x[:, :1] - x[:, 1:2]
    with torch.no_grad():
        h = net(x).relu()  #~ GRD102
    loss = (head(h) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
