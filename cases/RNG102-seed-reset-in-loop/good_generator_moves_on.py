"""A dataset takes another seed after each item."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, values, targets, seed=0):
        self.values, self.targets, self.seed = values, targets, seed

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        rng = random.Random(self.seed)
        self.seed += 1
        return self.values[index] + rng.gauss(0, 0.3), self.targets[index]


torch.manual_seed(0)
torch.set_num_threads(1)
values = torch.randn(256, 8)
targets = values.sum(1, keepdim=True)
loader = DataLoader(Noisy(values, targets), batch_size=16, shuffle=True)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
