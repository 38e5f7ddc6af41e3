"""Samples are drawn at random without end to the stream: each worker has a seed of its own."""
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        for _ in range(self.count // 2):
            x = torch.randn(8)
            yield x, x.sum().reshape(1)


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Stream(256), batch_size=16, num_workers=2)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
