#~ crash: SHP201
#~ edit: [:, None, None, :]
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x, mask):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / (c // self.heads) ** 0.5  #~ maker
        scores = scores.masked_fill(mask == 0, float("-inf"))  #~ fails
        return scores.softmax(-1) @ v


x = torch.randn(4, 10, 32)
mask = torch.ones(4, 10)  #~ maker
Attention(32, 8)(x, mask)
