"""A classifier is tried on noise of several strengths and on rows of another plant, prepared as those of training: far off, on purpose."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
rows = torch.randn(640, 16) * torch.linspace(5, 60, 16) + 40
labels = ((rows - 40) @ torch.randn(16) > 0).long()
mean, std = rows.mean(0), rows.std(0)
low, high = rows.amin(0), rows.amax(0)
prepared = (rows - mean) / std
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(40):
    chosen = torch.randint(0, 640, (64,))
    loss = nn.functional.cross_entropy(model(prepared[chosen]), labels[chosen])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    for strength in (10.0, 40.0):
        sure = model(strength * torch.randn(256, 16)).softmax(1).amax(1).mean()
    elsewhere = torch.randn(256, 16) * 300 + 900
    other = model((elsewhere - mean) / std).softmax(1).amax(1).mean()
print(f"{sure:.3f} {other:.3f}")
