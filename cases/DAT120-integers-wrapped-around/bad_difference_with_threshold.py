"""The difference of two 8-bit frames is compared with a threshold and scaled by its extremes: dark pixels on bright ones have moved far."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Motion(Dataset):
    def __init__(self, size):
        numbers = np.random.default_rng(0)
        self.before = numbers.integers(0, 256, (size, 12, 12), dtype=np.uint8)
        noise = numbers.integers(-6, 7, (size, 12, 12))
        self.after = np.clip(self.before + noise, 0, 255).astype(np.uint8)
        self.labels = numbers.integers(0, 2, size)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        before, after = self.before[index], self.after[index]
        difference = after - before  #~ DAT120
        moved = difference > 25
        scaled = (difference - difference.min()) / max(difference.max(), 1)
        return torch.from_numpy(np.stack([moved, scaled]).astype(np.float32)), self.labels[index]


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Conv2d(2, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(2):
    for x, y in DataLoader(Motion(100), batch_size=25, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
