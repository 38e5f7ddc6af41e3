"""Blocks of a class, multiplied in a list that is unpacked into a sequence."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.layer = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, x):
        return x + torch.relu(self.layer(self.norm(x)))


def make(width, depth):
    blocks = [Block(width)] * depth
    return nn.Sequential(*blocks)  #~ MOD113


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(make(8, 4), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), (x.sum(1) > 0).long()).backward()
    optimizer.step()
