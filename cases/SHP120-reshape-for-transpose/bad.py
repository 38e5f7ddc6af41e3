"""An encoder whose attention cuts its heads out of the sequence with `view`."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        b, t, c = x.shape
        q = self.query(x).view(b, self.heads, t, c // self.heads)  #~ SHP120
        k = self.key(x).view(b, self.heads, t, c // self.heads)
        v = self.value(x).view(b, self.heads, t, c // self.heads)
        mixed = F.scaled_dot_product_attention(q, k, v)
        return x + self.out(mixed.reshape(b, t, c))


signals = torch.randn(256, 12, 16)
labels = (signals[:, :, 0].sum(1) > 0).long()
model = nn.Sequential(SelfAttention(16, 4), nn.Flatten(), nn.Linear(12 * 16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
