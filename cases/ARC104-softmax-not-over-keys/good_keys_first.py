"""Scores are [batch, key, query]; the softmax runs over the keys, on the second axis, which the product sums over."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
signals = torch.randn(256, 12, 8)
labels = (signals[:, :6, 0].mean(1) > signals[:, 6:, 1].mean(1)).long()
loader = DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(8, 16), nn.Linear(8, 16), nn.Linear(8, 16)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        scores = torch.bmm(self.key(x), self.query(x).transpose(1, 2)) / 4
        weights = scores.softmax(dim=1)
        return self.head(torch.bmm(weights.transpose(1, 2), self.value(x)).mean(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
