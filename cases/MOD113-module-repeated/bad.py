"""A deep network whose six blocks are one block, since a list was multiplied."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.ModuleList([nn.Linear(16, 16)] * 6)  #~ MOD113
        self.first, self.last = nn.Linear(4, 16), nn.Linear(16, 1)

    def forward(self, x):
        x = self.first(x)
        for layer in self.inner:
            x = x + torch.tanh(layer(x))
        return self.last(x)


torch.manual_seed(0)
torch.set_num_threads(1)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(32, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
