"""Functions that subtract bytes rightly: made wide before, never below zero, wrapping asked for, or given another array than it seems."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
before = torch.randint(40, 200, (480, 5, 5), dtype=torch.uint8)
taken_up = torch.rand(480) > 0.5
after = (before.short() + torch.where(taken_up, 6, -6).view(-1, 1, 1) + torch.randint(-9, 10, (480, 5, 5))).clamp(0, 255).byte()
floor = torch.full_like(before, 30)
wide = before.short()


def change(earlier, later):
    earlier = earlier.short()
    return (later - earlier).float().flatten(1) / 255


def above(image, least):
    return (image - least).float().flatten(1) / 255


def signed(earlier, later):
    turned = later - earlier
    return turned.to(torch.int8).float().flatten(1) / 255


def chosen(earlier, later):
    if earlier.dtype == torch.uint8:
        earlier = earlier.short()
    return (later - earlier).float().flatten(1) / 255


features = torch.cat([change(before, after), above(before, floor), signed(before, after), chosen(before, after), above(after, wide)], 1)
features = features - features.mean(0)
model = nn.Sequential(nn.Linear(125, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(40):
    rows = torch.randint(0, 480, (48,))
    loss = nn.functional.binary_cross_entropy_with_logits(model(features[rows]).squeeze(1), taken_up[rows].float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
