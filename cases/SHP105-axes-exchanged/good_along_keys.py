"""The mask is laid along samples and keys, where batch and length are both 16."""

import torch
from torch import nn
from torch.nn import functional as F

import tensan

torch.manual_seed(0)
torch.set_num_threads(1)


class Attention(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, 3)

    def forward(self, x, padding):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / (d // self.heads) ** 0.5
        scores = scores.masked_fill(padding[:, None, None, :], -1e9)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d).mean(1))


model = Attention()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(30):
    x = tensan.axes(torch.randn(16, 16, 16), "B T D")
    padding = tensan.axes(torch.arange(16) >= torch.randint(8, 17, (16, 1)), "B T")
    y = x[:, :8].mean((1, 2)).gt(0).long() + (x[:, 0, 0] > 1)
    loss = F.cross_entropy(model(x, padding), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
