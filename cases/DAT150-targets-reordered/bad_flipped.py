"""Masks that are turned along the batch where they were to be turned like a picture, by hand-written squared error."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
pictures = torch.randn(192, 1, 12, 12)
masks = (pictures > 0.5).float()
loader = DataLoader(TensorDataset(pictures, masks), batch_size=24, shuffle=True)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1), nn.Sigmoid())
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
for epoch in range(3):
    for picture, mask in loader:
        predicted = net(picture)
        loss = ((predicted - mask.flip(0)) ** 2).mean()  #~ DAT150
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
