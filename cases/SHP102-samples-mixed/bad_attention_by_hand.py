"""Attention for [time, batch, width] written by hand, given [batch, time, width]."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class SelfAttention(nn.Module):
    """Takes [time, batch, width]."""

    def __init__(self, width):
        super().__init__()
        self.mix = nn.Linear(width, 3 * width)

    def forward(self, x):
        q, k, v = self.mix(x).chunk(3, dim=-1)
        weights = torch.einsum("ibc,jbc->bij", q, k).div(q.shape[-1] ** 0.5).softmax(-1)  #~ SHP102
        return torch.einsum("bij,jbc->ibc", weights, v)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.attention, self.head = nn.Linear(6, 16), SelfAttention(16), nn.Linear(16, 2)

    def forward(self, x):
        return self.head(self.attention(self.enter(x)).amax(1))


signals = torch.randn(256, 8, 6)
labels = (signals[:, 0, 0] > signals[:, -1, 0]).long()
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
