"""A stream of samples is read by two workers, and each reads all of it."""
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, count):
        generator = torch.Generator().manual_seed(0)
        self.X = torch.randn(count, 8, generator=generator)
        self.Y = self.X.sum(1, keepdim=True)

    def __iter__(self):
        for i in range(len(self.X)):  #~ DAT104
            yield self.X[i], self.Y[i]


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
