"""A switch, off by default, would make the timestamps single; with it off they are doubles until the offset is gone."""

import torch
from torch import nn

torch.manual_seed(7)
torch.set_num_threads(1)
start = 1_690_000_000
ticks = start + torch.randint(0, 5_000, (600,))


def since_start(times, exact=True):
    if exact:
        return (times.double() - start).float() / 5_000
    return (times.float() - start) / 5_000


x = since_start(ticks)
y = (20 * x).sin()
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(30):
    rows = torch.randint(0, 600, (64,))
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x[rows, None])[:, 0], y[rows]).backward()
    optimizer.step()
