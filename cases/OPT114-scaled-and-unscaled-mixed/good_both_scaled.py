"""Two losses go backward one after the other, both scaled; a third follows the unscaling and rightly takes no scale."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for step in range(30):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    scaler.scale(nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))).backward()
    scaler.scale(nn.functional.cross_entropy(model(-x), x[:, :3].argmin(1))).backward()
    scaler.unscale_(optimizer)
    (1e-4 * sum(weight.square().sum() for weight in model.parameters())).backward()
    scaler.step(optimizer)
    scaler.update()
