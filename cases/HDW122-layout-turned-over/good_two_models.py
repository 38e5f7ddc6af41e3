"""An encoder in channels last hands its map on to a decoder in channels first: one change of layout at the door of each."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

encoder = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1)).to(memory_format=torch.channels_last)
decoder = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 3, padding=1))
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for step in range(12):
    images = torch.randn(8, 3, 16, 16)
    told = decoder(encoder(images.to(memory_format=torch.channels_last)).contiguous())
    loss = nn.functional.mse_loss(told, images)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
