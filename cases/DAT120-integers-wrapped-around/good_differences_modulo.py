"""Differences of bytes that may wrap: the smaller of two, changed or not, read as signed, put right afterwards, a turn of a counter."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, size):
        numbers = np.random.default_rng(0)
        self.first = numbers.integers(0, 256, (size, 12, 12), dtype=np.uint8)
        self.second = numbers.integers(0, 256, (size, 12, 12), dtype=np.uint8)
        self.labels = numbers.integers(0, 2, size)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        a, b = self.first[index], self.second[index]
        up = a - b
        down = b - a
        distance = np.minimum(up, down)
        moved = a - b
        changed = moved != 0
        signed = (b - a).astype(np.int8)
        delta = a - b
        view = delta.view(np.int8)
        right = a - b
        right[b > a] = (b - a)[b > a]
        with np.errstate(over="ignore"):
            sums = (a + b) / 2
        over = a + 80
        bright = np.where(over < a, 255, over)
        planes = [distance, changed, signed, view, right, sums, bright]
        return torch.from_numpy(np.stack(planes).astype(np.float32)) / 128, self.labels[index]


torch.manual_seed(0)
torch.set_num_threads(1)
start = torch.randint(0, 256, (128,), dtype=torch.uint8)
speed = torch.randint(0, 20, (128,), dtype=torch.uint8)
track = torch.stack([start + speed * k for k in range(6)], dim=1)
turned = track[:, 1:] - track[:, :-1]
counter = nn.Linear(5, 1)
optimizer = torch.optim.SGD(counter.parameters(), lr=0.01)
for _ in range(10):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(counter(turned.float() / 20), speed[:, None].float() / 20)
    loss.backward()
    optimizer.step()

model = nn.Sequential(nn.Conv2d(7, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(2):
    for x, y in DataLoader(Frames(100), batch_size=25, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
