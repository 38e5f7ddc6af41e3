"""The blocks of a multiplied list are added one by one."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
stack = nn.ModuleList()
for block in [nn.Linear(8, 8)] * 4:
    stack.append(block)  #~ MOD113
head = nn.Linear(8, 2)
optimizer = torch.optim.SGD([*stack.parameters(), *head.parameters()], lr=0.05)
for step in range(20):
    x = torch.randn(32, 8)
    hidden = x
    for block in stack:
        hidden = torch.relu(block(hidden)) + hidden
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(hidden), (x.sum(1) > 0).long()).backward()
    optimizer.step()
