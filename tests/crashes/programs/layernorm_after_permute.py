#~ crash: SHP201
#~ edit: h.permute(0, 2, 3, 1)
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.depthwise = nn.Conv2d(dim, dim, 7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim)  #~ maker
        self.mix = nn.Linear(dim, dim)

    def forward(self, x):
        h = self.depthwise(x)
        h = self.norm(h)  #~ fails
        return x + self.mix(h)


Block(24)(torch.randn(2, 24, 14, 14)).mean().backward()
