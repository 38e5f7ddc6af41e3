"""A network learns where the bright patch is; pictures and corners are mirrored by one draw."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
random.seed(0)
torch.set_num_threads(1)


class Patches(Dataset):
    def __init__(self, count, side=16):
        self.side = side
        corners = torch.randint(0, side // 2, (count, 2))
        self.corners = torch.cat([corners, corners + torch.randint(3, 7, (count, 2))], 1).float()
        self.pictures = 0.2 * torch.randn(count, 1, side, side)
        for picture, (left, top, right, bottom) in zip(self.pictures, self.corners.int().tolist()):
            picture[0, top:bottom, left:right] += 1

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, number):
        picture, corners = self.pictures[number], self.corners[number]
        if random.random() < 0.5:
            picture, (left, top, right, bottom) = picture.flip(-1), corners
            corners = torch.stack([self.side - right, top, self.side - left, bottom])
        return picture, corners


model = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(392, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for pictures, corners in DataLoader(Patches(160), batch_size=16, shuffle=True):
        loss = nn.functional.smooth_l1_loss(model(pictures), corners)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
