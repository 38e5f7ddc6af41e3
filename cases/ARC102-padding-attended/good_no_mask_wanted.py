"""Models that treat padding as any other token: a convolution with max pooling, an LSTM, and a mask that is for the pooling alone."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
PAD = 0
ids = torch.randint(1, 50, (256, 16))
ids[torch.arange(16)[None] >= torch.randint(4, 14, (256, 1))] = PAD
labels = (ids == 9).any(1).long()


class TextCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 24)
        self.conv = nn.Conv1d(24, 32, 3, padding=1)
        self.lstm = nn.LSTM(24, 16, batch_first=True, bidirectional=True)
        self.head = nn.Linear(64, 2)

    def forward(self, ids):
        h = self.embedding(ids)
        real = (ids != PAD).unsqueeze(-1)
        local = torch.relu(self.conv(h.transpose(1, 2))).amax(2)
        context = self.lstm(h)[0].masked_fill(~real, -1e4).amax(1)
        return self.head(torch.cat([local, context], 1))


model = TextCNN()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(ids, labels), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
