"""Data is laid out before a loader gets it: channels moved, rows cut into maps, frames stacked, a channel put in."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)

photos = rng.random((128, 6, 6, 3), dtype=np.float32)
moved = np.ascontiguousarray(photos.transpose(0, 3, 1, 2))
rows = rng.random((128, 108), dtype=np.float32)
maps = rows.reshape(-1, 3, 6, 6)
strip = rng.random((128, 18, 6), dtype=np.float32)
stacked = strip.reshape(128, 3, 6, 6)
images = torch.from_numpy(moved) + torch.from_numpy(maps) + torch.from_numpy(stacked)
labels = (images.mean((1, 2, 3)) > 1.5).long()
loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True)

# Sixteen frames of four values, read four at a time.
frames = torch.randn(128, 16, 4)
windows = frames.view(128, 4, 16)
frame_loader = DataLoader(TensorDataset(windows, labels), batch_size=32, shuffle=True)

conv = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
reader = nn.GRU(16, 8, batch_first=True)
head = nn.Linear(8, 2)
optimizer = torch.optim.Adam([*conv.parameters(), *reader.parameters(), *head.parameters()], lr=1e-3)
for epoch in range(2):
    for (x, y), (w, z) in zip(loader, frame_loader):
        x = x.reshape(len(x), 3, 36).view(-1, 3, 6, 6)
        hidden, _ = reader(w)
        loss = nn.functional.cross_entropy(conv(x), y) + nn.functional.cross_entropy(head(hidden[:, -1]), z)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
