"""Pooling of a graph (DiffPool): nodes are shared out over clusters, features and edges are summed."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
signals = torch.randn(256, 12, 8)
labels = (signals[:, :6, 0].mean(1) > signals[:, 6:, 1].mean(1)).long()
loader = DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=16, clusters=4):
        super().__init__()
        self.embed, self.assign, self.after = nn.Linear(8, width), nn.Linear(8, clusters), nn.Linear(width, width)
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        edges = torch.sigmoid(x @ x.transpose(1, 2))
        nodes = self.embed(edges @ x).relu()
        shares = self.assign(edges @ x).softmax(dim=-1)
        pooled = shares.transpose(1, 2) @ nodes
        coarse = shares.transpose(1, 2) @ edges @ shares
        return self.head(self.after(coarse @ pooled).relu().mean(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
