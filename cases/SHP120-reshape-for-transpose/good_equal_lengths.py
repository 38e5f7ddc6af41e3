"""Heads joined with the batch, as in older code: batch, heads and features are such that their lengths meet by chance."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head_dim = heads, width // heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        length, bsz, width = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        q = q.contiguous().view(length, bsz * self.heads, self.head_dim).transpose(0, 1)
        k = k.contiguous().view(length, bsz * self.heads, self.head_dim).transpose(0, 1)
        v = v.contiguous().view(-1, bsz * self.heads, self.head_dim).transpose(0, 1)
        mixed = torch.bmm((torch.bmm(q, k.transpose(1, 2)) * self.head_dim**-0.5).softmax(-1), v)
        mixed = mixed.transpose(0, 1).contiguous().view(length, bsz, width)
        return x + self.out(mixed)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.head = Attention(32, 4), nn.Linear(32, 3)

    def forward(self, x):
        return self.head(self.attention(x.transpose(0, 1)).mean(0))


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(30):
    x = torch.randn(8, 11, 32)  # batch and head are 8 wide, and 8 * 4 heads are as many as features
    y = x[:, :, :3].mean(1).argmax(1)
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
