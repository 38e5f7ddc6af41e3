"""A trainer makes its metric before the epochs, and asks it after each."""

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


def train(model, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    running = Mean()
    for epoch in range(epochs):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), targets)
            loss.backward()
            optimizer.step()
            running.update(loss.item(), len(inputs))  #~ EVL170
        print(f"epoch {epoch}: loss {running.compute():.3f}")


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 4)
y = (x.sum(1) > 0).long()
train(nn.Linear(4, 2), DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True), epochs=3)
