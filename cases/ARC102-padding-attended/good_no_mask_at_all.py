"""Attention over rows of one length that happen to end in a stop token, which is a token like any other."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
STOP = 49
ids = torch.randint(0, 49, (256, 12))
ids[:, -1] = STOP
ids[torch.arange(12)[None] >= torch.randint(8, 12, (256, 1))] = STOP
labels = (ids < 12).sum(1).gt(3).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 32)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(32, 2)

    def forward(self, ids):
        first = (ids == 3).float().unsqueeze(-1)
        h = self.layer(self.embedding(ids) + 0.1 * first)
        return self.head(h.mean(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(ids, labels), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
