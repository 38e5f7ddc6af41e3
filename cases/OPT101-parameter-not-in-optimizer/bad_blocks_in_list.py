"""A plain list of blocks, each of which is a module with several layers."""
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Body(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.blocks = [Block(width) for _ in range(2)]  #~ OPT101

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.body, self.last = nn.Linear(4, 8), Body(), nn.Linear(8, 1)

    def forward(self, x):
        return self.last(self.body(self.first(x)))


torch.manual_seed(0)
torch.set_num_threads(1)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(40):
    x = torch.randn(32, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(net(x), x.prod(1, keepdim=True)).backward()
    optimizer.step()
