"""A model in channels last makes the result of each of its blocks contiguous."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(inside, outside, 3, padding=1), nn.BatchNorm2d(outside)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x))).contiguous()  #~ HDW122


model = nn.Sequential(Block(3, 16), Block(16, 16), Block(16, 16), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4))
model = model.to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(12):
    images, labels = torch.randn(8, 3, 16, 16), torch.randint(0, 4, (8,))
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
