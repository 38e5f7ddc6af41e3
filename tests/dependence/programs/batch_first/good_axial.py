"""Axial attention: rows, then columns, take the place of the batch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(192, 3, 16, 16)
labels = (images[:, 0, :8].mean((1, 2)) > images[:, 1, 8:].mean((1, 2))).long()
loader = DataLoader(TensorDataset(images, labels), batch_size=24, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 4, stride=4)
        self.rows = nn.MultiheadAttention(width, 2, batch_first=True)
        self.columns = nn.GRU(width, width // 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        maps = self.conv(x).permute(0, 2, 3, 1)
        batch, height, width, channels = maps.shape
        rows = maps.reshape(batch * height, width, channels)
        rows = rows + self.rows(rows, rows, rows)[0]
        columns = rows.view(maps.shape).transpose(1, 2).reshape(batch * width, height, channels)
        states, _ = self.columns(columns)
        return self.head(states.reshape(batch, -1, channels).mean(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
