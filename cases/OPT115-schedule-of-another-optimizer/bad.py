"""The optimizer is replaced after its schedule was made, and the schedule goes on with the old one."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)  #~ OPT115
optimizer = torch.optim.SGD(net.parameters(), lr=1e-1, momentum=0.9)
for epoch in range(6):
    for _ in range(8):
        x = torch.randn(32, 8)
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), (x.sum(1) > 0).long()).backward()
        optimizer.step()
    scheduler.step()
