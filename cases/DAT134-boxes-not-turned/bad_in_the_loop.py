"""The training loop turns whole batches upside down; the two boxes of each picture go to the loss as they were delivered, by width."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
SIDE = 16
starts = torch.randint(0, 7, (192, 2, 2))
boxes = torch.cat([starts, starts + torch.randint(3, 6, (192, 2, 2))], 2).float()
pictures = 0.2 * torch.randn(192, 1, SIDE, SIDE)
for picture, both in zip(pictures, boxes.int().tolist()):
    for left, top, right, bottom in both:
        picture[0, top:bottom, left:right] += 1
model = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(392, 8), nn.Unflatten(1, (2, 4)))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for picture, box in DataLoader(TensorDataset(pictures, boxes), batch_size=16, shuffle=True):
        picture = torch.where(torch.rand(len(picture), 1, 1, 1) < 0.5, picture.flip(2), picture)  #~ DAT134
        loss = nn.functional.l1_loss(model(picture), box / SIDE)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
