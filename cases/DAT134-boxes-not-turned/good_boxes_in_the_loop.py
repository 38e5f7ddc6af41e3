"""The data set mirrors the picture and says so; the training loop mirrors the boxes."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
random.seed(0)
torch.set_num_threads(1)
SIDE = 16


class Patches(Dataset):
    def __init__(self, count):
        starts = torch.randint(0, SIDE // 2, (count, 2))
        self.boxes = torch.cat([starts, starts + torch.randint(3, 7, (count, 2))], 1).float()
        self.pictures = 0.2 * torch.randn(count, 1, SIDE, SIDE)
        for picture, (left, top, right, bottom) in zip(self.pictures, self.boxes.int().tolist()):
            picture[0, top:bottom, left:right] += 1

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, number):
        is_mirrored = random.random() < 0.5
        picture = self.pictures[number]
        return (picture.flip(-1) if is_mirrored else picture), self.boxes[number], is_mirrored


model = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(392, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for pictures, boxes, is_mirrored in DataLoader(Patches(60), batch_size=4, shuffle=True):
        left, top, right, bottom = boxes.unbind(1)
        opposite = torch.stack([SIDE - right, top, SIDE - left, bottom], 1)
        loss = nn.functional.smooth_l1_loss(model(pictures), torch.where(is_mirrored[:, None], opposite, boxes))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
