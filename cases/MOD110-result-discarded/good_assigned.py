"""The same operations, with their results kept, worked in place, or written through a view."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 1)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, mask):
        hidden = self.drop(torch.relu(self.first(x)))
        hidden = hidden.masked_fill(mask, 0.0)
        return self.second(hidden)


torch.manual_seed(0)
torch.set_num_threads(1)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
seen = set()
for step in range(30):
    x, mask = torch.randn(16, 8), torch.rand(16, 16) < 0.2
    x.clamp_(-2, 2)
    x.t().mul_(0.5)
    x.view(-1).add_(0.0)
    seen.add(step)
    optimizer.zero_grad()
    nn.functional.mse_loss(net(x, mask), x.sum(1, keepdim=True)).backward()
    for weight in net.parameters():
        weight.grad.data.clamp_(-1, 1)
    optimizer.step()
    for weight in net.parameters():
        weight.data.squeeze().clamp_(-5, 5)
