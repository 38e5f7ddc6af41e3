"""A masked copy that is only looked at, to print how far the attention spreads."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 10, 8)
labels = (x[:, 0, 0] > 0).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.score, self.head = nn.Linear(8, 1), nn.Linear(8, 2)
        self.largest = 0.0

    def forward(self, x):
        scores = self.score(x).squeeze(-1)
        weak = scores < scores.mean(1, keepdim=True)
        masked = scores.masked_fill(weak, float("-inf"))
        self.largest = max(self.largest, masked.max().item())
        return self.head((scores.softmax(-1)[..., None] * x).sum(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for batch, y in DataLoader(TensorDataset(x, labels), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(batch), y).backward()
        optimizer.step()
print(f"{model.largest:.3f}")
