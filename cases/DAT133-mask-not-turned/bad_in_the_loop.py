"""The training loop mirrors every second picture of a batch on its way to a network that draws depth."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
depths = torch.rand(192, 1, 12, 12).cumsum(2).cumsum(3) / 40
pictures = depths + 0.05 * torch.randn(192, 1, 12, 12)
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)


for epoch in range(4):
    for picture, depth in DataLoader(TensorDataset(pictures, depths), batch_size=16, shuffle=True):
        mirrored = torch.rand(len(picture), 1, 1, 1) < 0.5
        picture = torch.where(mirrored, picture.flip(3), picture)  #~ DAT133
        loss = (model(picture) - depth).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
