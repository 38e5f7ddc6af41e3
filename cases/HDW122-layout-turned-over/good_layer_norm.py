"""Blocks permute for a normalisation over channels and permute back: views, whose copies are none from one layout to the other."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 5, padding=2, groups=width)
        self.norm, self.mix = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, x):
        mixed = self.mix(self.norm(self.depthwise(x).permute(0, 2, 3, 1)))
        return x + nn.functional.gelu(mixed).permute(0, 3, 1, 2)


model = nn.Sequential(nn.Conv2d(3, 16, 4, stride=4), Block(16), Block(16), Block(16), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(12):
    images, labels = torch.randn(8, 3, 16, 16), torch.randint(0, 4, (8,))
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
