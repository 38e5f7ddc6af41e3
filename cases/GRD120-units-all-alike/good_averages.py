"""Depthwise filters that begin as averages: equal weights, each with an input of its own."""

import torch
from torch import nn

torch.manual_seed(0)
smooth = nn.Conv2d(3, 3, 3, padding=1, groups=3, bias=False)
nn.init.constant_(smooth.weight, 1 / 9)
model = nn.Sequential(smooth, nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
images = torch.randn(128, 3, 8, 8)
labels = (images[:, 0].mean((1, 2)) > 0).long()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for chosen in torch.randperm(128).split(8):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
