"""A column of float64 that holds one number, but for the rounding of what computed it, becomes float32."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(5)
torch.set_num_threads(1)
generator = np.random.default_rng(5)
weights = generator.random((500, 7))
total = (weights / weights.sum(1, keepdims=True) * 41.7).sum(1)
scale = total.astype(np.float32)
x = torch.from_numpy(weights).float()
y = x.sum(1) / torch.from_numpy(scale)
model = nn.Linear(7, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(30):
    rows = torch.randint(0, 500, (50,))
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x[rows])[:, 0], y[rows]).backward()
    optimizer.step()
