"""Pictures are mirrored for a classifier, and a second picture of the item, which is no mask of it, is not."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
random.seed(0)
torch.set_num_threads(1)


class Pairs(Dataset):
    def __init__(self, count, side=12):
        self.labels = torch.randint(0, 3, (count,))
        self.pictures = torch.randn(count, 1, side, side) + self.labels.view(-1, 1, 1, 1)
        self.references = torch.randn(count, 1, side, side)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, number):
        picture, reference = self.pictures[number], self.references[number]
        if random.random() < 0.5:
            picture = picture.flip(-1)
        if random.random() < 0.5:
            reference = reference.flip(-1)
        return picture, reference, self.labels[number]


model = nn.Sequential(nn.Conv2d(2, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(3):
    for pictures, references, labels in DataLoader(Pairs(160), batch_size=16, shuffle=True):
        loss = nn.functional.cross_entropy(model(torch.cat([pictures, references], 1)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
