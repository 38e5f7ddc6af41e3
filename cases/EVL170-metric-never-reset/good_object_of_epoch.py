"""A function makes its metric for each epoch that it is called for."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Mean:
    def __init__(self):
        self.reset()

    def reset(self):
        self.total, self.count = 0.0, 0

    def update(self, value, count=1):
        self.total += value * count
        self.count += count

    def compute(self):
        return self.total / self.count


def train(model, optimizer, loader, epoch):
    running = Mean()
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
        running.update(loss.item(), len(inputs))
    print(f"epoch {epoch}: loss {running.compute():.3f}")


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 4)
y = (x.sum(1) > 0).long()
model = nn.Linear(4, 2)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    train(model, optimizer, loader, epoch)
