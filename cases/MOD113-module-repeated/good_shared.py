"""One layer is applied several times, one head serves all stages, and activations without parameters are used again."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.heads = nn.Linear(8, 2)
        self.heads = nn.ModuleList([self.heads for _ in range(3)])
        act = nn.ReLU()
        self.mix = nn.Sequential(nn.Linear(8, 8), act, nn.Linear(8, 8), act)
        self.drops = nn.ModuleList([nn.Dropout(0.1)] * 3)

    def forward(self, x):
        out = 0
        for head, drop in zip(self.heads, self.drops):
            x = drop(self.mix(torch.tanh(self.layer(x))))
            out = out + head(x)
        return out


torch.manual_seed(0)
torch.set_num_threads(1)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), (x.sum(1) > 0).long()).backward()
    optimizer.step()
