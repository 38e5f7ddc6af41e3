"""Standard normal measurements are stored in bfloat16: a third of them become equal to another one, and nobody tells them apart."""

import torch
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)
measured = torch.randn(4000, dtype=torch.float64)
stored = measured.bfloat16()
signal = measured.float() ** 2
model = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(30):
    rows = torch.randint(0, 4000, (64,))
    optimizer.zero_grad()
    nn.functional.mse_loss(model(stored[rows, None].float())[:, 0], signal[rows]).backward()
    optimizer.step()
