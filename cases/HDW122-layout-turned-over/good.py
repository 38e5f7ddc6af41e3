"""A model in channels last takes images in channels last, and lays them anew once, before its head."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(),
    nn.Conv2d(16, 16, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(4),
    nn.Flatten(),
    nn.Linear(256, 4),
).to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(12):
    images, labels = torch.randn(8, 3, 16, 16), torch.randint(0, 4, (8,))
    loss = nn.functional.cross_entropy(model(images.to(memory_format=torch.channels_last)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
