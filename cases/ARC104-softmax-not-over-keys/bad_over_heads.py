"""Attention by hand with a softmax over the heads."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
signals = torch.randn(256, 12, 8)
labels = (signals[:, :6, 0].mean(1) > signals[:, 6:, 1].mean(1)).long()
loader = DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True)


class Attention(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = (layer(x).view(batch, time, self.heads, -1).transpose(1, 2) for layer in (self.query, self.key, self.value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        weights = F.softmax(scores, dim=1)  #~ ARC104
        return self.out((weights @ v).transpose(1, 2).reshape(batch, time, width))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(8, 32)
        self.attention = Attention()
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        x = self.embed(x)
        return self.head((x + self.attention(x)).mean(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
