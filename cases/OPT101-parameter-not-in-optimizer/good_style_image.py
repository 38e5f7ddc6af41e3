"""Optimizes the pixels of an image against the features of a frozen network."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
features = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 8, 3, padding=1)).eval()
features.requires_grad_(False)
content, style = torch.rand(1, 1, 12, 12), torch.rand(1, 1, 12, 12)


def gram(f):
    f = f.flatten(2)
    return f @ f.transpose(1, 2) / f.shape[-1]


want_content, want_style = features(content), gram(features(style))
image = content.clone().requires_grad_(True)
optimizer = torch.optim.Adam([image], lr=0.02)
for _ in range(40):
    optimizer.zero_grad()
    f = features(image)
    loss = (f - want_content).pow(2).mean() + 10 * (gram(f) - want_style).pow(2).mean()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.5f}")
