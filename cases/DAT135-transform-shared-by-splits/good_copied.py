"""The dataset of the split that is evaluated is copied before its transform is changed."""

from copy import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Pulses(Dataset):
    def __init__(self, size, transform=None):
        self.labels = torch.randint(0, 3, (size,))
        self.waves = torch.randn(3, 24)[self.labels] + 0.2 * torch.randn(size, 24)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        wave = self.waves[index]
        if self.transform is not None:
            wave = self.transform(wave)
        return wave, self.labels[index]


def shifted(wave):
    return torch.roll(wave, int(torch.randint(-3, 4, ())))


def plain(wave):
    return wave


torch.manual_seed(0)
torch.set_num_threads(1)
train_set, val_set = random_split(Pulses(160, shifted), [120, 40])
val_set.dataset = copy(val_set.dataset)
val_set.dataset.transform = plain
train_loader = DataLoader(train_set, batch_size=20, shuffle=True)
val_loader = DataLoader(val_set, batch_size=40)
model = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for x, y in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    with torch.no_grad():
        hits = sum((model(x).argmax(1) == y).sum().item() for x, y in val_loader)
    print(epoch, hits / len(val_set))
