"""Photos are stored with their channels last and reshaped to channels first before a loader gets them."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)


def read_photos(count):
    photos = rng.integers(0, 256, size=(count, 8, 8, 3), dtype=np.uint8)
    labels = (photos[..., 0].mean(axis=(1, 2)) > photos[..., 2].mean(axis=(1, 2))).astype("int64")
    return photos, labels


photos, labels = read_photos(256)
photos = photos.reshape(-1, 3, 8, 8)  #~ SHP120
inputs = torch.tensor(photos, dtype=torch.float32) / 255
loader = DataLoader(TensorDataset(inputs, torch.tensor(labels)), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
