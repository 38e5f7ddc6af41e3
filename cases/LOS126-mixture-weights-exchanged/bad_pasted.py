"""A patch of another image is pasted into each, and the share of the patch is taken for that of the image around it."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
SIDE = 12
labels = torch.randint(0, 3, (192,))
images = 0.3 * torch.randn(192, 3, SIDE, SIDE) + labels.view(-1, 1, 1, 1)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for batch, wanted in DataLoader(TensorDataset(images, labels), batch_size=24, shuffle=True):
        height, width = torch.randint(2, 7, (2,)).tolist()
        top, left = torch.randint(0, SIDE - 6, (2,)).tolist()
        order = torch.randperm(len(batch))
        mixed = batch.clone()
        mixed[:, :, top : top + height, left : left + width] = batch[order, :, top : top + height, left : left + width]
        lam = height * width / SIDE**2
        logits = model(mixed)
        own, pasted = nn.functional.cross_entropy(logits, wanted), nn.functional.cross_entropy(logits, wanted[order])
        loss = own * lam + pasted * (1 - lam)  #~ LOS126
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
