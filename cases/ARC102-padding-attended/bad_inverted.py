"""A key padding mask that is true for the real tokens, in a trainer with accumulated gradients."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
ids = torch.randint(1, 50, (256, 16))
lengths = torch.randint(5, 13, (256,))
ids[torch.arange(16)[None] >= lengths[:, None]] = 0
labels = (ids < 10).logical_and(ids > 0).any(1).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 32)
        self.query = nn.Parameter(torch.randn(1, 1, 32) * 0.1)
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)
        self.head = nn.Linear(32, 2)

    def forward(self, ids, lengths):
        h = self.embedding(ids)
        real = torch.arange(ids.shape[1])[None] < lengths[:, None]  #~ ARC102
        pooled, _ = self.attention(self.query.expand(len(ids), -1, -1), h, h, key_padding_mask=real)
        return self.head(pooled[:, 0])


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for step, (x, n, y) in enumerate(DataLoader(TensorDataset(ids, lengths, labels), batch_size=32, shuffle=True)):
        loss = nn.functional.cross_entropy(model(x, n), y) / 2
        loss.backward()
        if step % 2:
            optimizer.step()
            optimizer.zero_grad()
