"""A dataset that makes up each item, whatever the index, so that the first batch is a new one each time."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

random.seed(0)
torch.manual_seed(0)


class Sums(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, index):
        a, b = random.random(), random.random()
        return torch.tensor([a, b]), torch.tensor([a + b])


loader = DataLoader(Sums(), batch_size=32)
model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(40):
    x, y = next(iter(loader))
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
