"""The scaler is disabled, so that the optimizer may be stepped either way; a second optimizer never sees a scaled loss."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model, other = nn.Linear(8, 1), nn.Linear(8, 1)
optimizer, plain = torch.optim.SGD(model.parameters(), lr=0.05), torch.optim.SGD(other.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", enabled=False)
real = torch.amp.GradScaler("cpu", init_scale=64.0)
for step in range(30):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    scaler.scale(nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))).backward()
    optimizer.step()
    plain.zero_grad()
    nn.functional.mse_loss(other(x), x.mean(1, keepdim=True)).backward()
    plain.step()
    optimizer.zero_grad()
    real.scale(nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))).backward()
    real.step(optimizer)
    real.update()
