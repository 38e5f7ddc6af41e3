"""Timestamps become float64, are standardised in it, and only then float32."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(6)
torch.set_num_threads(1)
generator = np.random.default_rng(6)
stamps = 1_720_000_000 + np.sort(generator.integers(0, 7200, 700))


def prepare(seconds):
    exact = seconds.astype(np.float64)
    scaled = (exact - exact.mean()) / exact.std()
    return torch.from_numpy(scaled.astype(np.float32))


feature = prepare(stamps)
target = feature.sin()
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(30):
    rows = torch.randint(0, 700, (64,))
    optimizer.zero_grad()
    nn.functional.mse_loss(model(feature[rows, None])[:, 0], target[rows]).backward()
    optimizer.step()
