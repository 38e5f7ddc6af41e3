"""A backbone is to be frozen by an attribute of the module, and is trained with everything else."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        return self.head(self.backbone(x))


torch.manual_seed(0)
torch.set_num_threads(1)
net = Net()
for parameter in net.head.parameters():
    parameter.requires_grad = True
net.backbone.requires_grad = False  #~ MOD112
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, net.parameters()), lr=1e-3)
for step in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), (x.sum(1) > 0).long()).backward()
    optimizer.step()
