"""Slices before and after a contrast agent are subtracted in a function, as bytes: where the second one is darker, the change becomes large."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
before = torch.randint(40, 200, (480, 5, 5), dtype=torch.uint8)
taken_up = torch.rand(480) > 0.5
after = (before.short() + torch.where(taken_up, 6, -6).view(-1, 1, 1) + torch.randint(-9, 10, (480, 5, 5))).clamp(0, 255).byte()


def change(earlier, later):
    """Returns how much brighter each pixel has become."""
    moved = later - earlier  #~ DAT120
    return moved.float().flatten(1) / 255


features = change(before, after)
features = features - features.mean(0)
model = nn.Sequential(nn.Linear(25, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(40):
    rows = torch.randint(0, 480, (48,))
    loss = nn.functional.binary_cross_entropy_with_logits(model(features[rows]).squeeze(1), taken_up[rows].float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
