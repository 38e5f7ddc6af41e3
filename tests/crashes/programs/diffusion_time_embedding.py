#~ crash: SHP201
#~ edit: self.time(t)[:, :, None, None]
import torch
from torch import nn


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Linear(1, 32)
        self.inp = nn.Conv2d(3, 32, 3, padding=1)
        self.out = nn.Conv2d(32, 3, 3, padding=1)

    def forward(self, x, t):
        h = self.inp(x)  #~ maker
        h = h + self.time(t)  #~ fails
        return self.out(torch.relu(h))


x = torch.randn(4, 3, 16, 16)
t = torch.rand(4, 1)
UNet()(x, t).mean().backward()
