"""Weights that were saved from a wrapped model are loaded with `strict=False` into the plain one."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(6, 16), nn.Linear(16, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module


torch.manual_seed(0)
torch.set_num_threads(1)
pretrained = Wrapper(Net()).state_dict()
net = Net()
net.load_state_dict(pretrained, strict=False)  #~ CKP102
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(net(x), (x.sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
