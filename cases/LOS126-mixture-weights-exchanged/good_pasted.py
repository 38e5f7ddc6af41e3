"""A patch of another image is pasted into each: the weight of an image is the share of it that is left, beyond the edge too."""

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
        lam = float(torch.rand(()))
        half = int(SIDE * (1 - lam) ** 0.5) // 2
        y, x = torch.randint(0, SIDE, (2,)).tolist()
        rows, columns = slice(max(y - half, 0), y + half), slice(max(x - half, 0), x + half)
        order = torch.randperm(len(batch))
        batch[:, :, rows, columns] = batch[order][:, :, rows, columns]
        lam = 1 - batch[0, 0, rows, columns].numel() / SIDE**2
        logits = model(batch)
        loss = nn.functional.cross_entropy(logits, wanted) * lam + nn.functional.cross_entropy(logits, wanted[order]) * (1 - lam)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
