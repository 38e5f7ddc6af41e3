"""A tide gauge's readings by Unix time: the start is taken off in whole seconds, and only then are they single."""

import math

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(12)
torch.set_num_threads(1)
rng = np.random.default_rng(12)

TIDE, DAY = 44_714, 86_400
installed = 1_712_000_000
read_at = installed + np.sort(rng.choice(14 * DAY, 1_600, replace=False))
seconds = read_at - installed
level = 1.8 * np.sin(2 * math.pi * seconds / TIDE) + 0.4 * np.cos(2 * math.pi * seconds / DAY) + rng.normal(0, 0.1, len(seconds))


def turned(times):
    """Returns the phases of tide and day."""
    moments = torch.as_tensor(times, dtype=torch.float32)
    angles = torch.stack([2 * math.pi * moments / period for period in (TIDE, DAY)], dim=1)
    return torch.cat([angles.sin(), angles.cos()], dim=1)


heights = torch.tensor(level, dtype=torch.float32)
features = turned(seconds)
order = torch.randperm(len(features))
known, later = order[:1_300], order[1_300:]
loader = DataLoader(TensorDataset(features[known], heights[known]), batch_size=50, shuffle=True)
model = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

for epoch in range(8):
    model.train()
    for phases, height in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(phases).squeeze(1), height)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        error = nn.functional.mse_loss(model(features[later]).squeeze(1), heights[later]).item()
    print(f"epoch {epoch}: {error:.3f}")
