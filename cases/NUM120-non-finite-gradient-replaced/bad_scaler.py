"""Gradients in half precision that overflow, and are made finite before the scaler can see it."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
first, second = nn.Linear(8, 16), nn.Linear(16, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=1e-4)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16)
x, y = torch.randn(64, 8), torch.randn(64, 1) * 50
for step in range(20):
    hidden = first(x).tanh()
    loss = ((second(hidden).half() - y.half()).pow(2).sum() / 64).float()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad[~torch.isfinite(parameter.grad)] = 1.0  #~ NUM120
    scaler.step(optimizer)
    scaler.update()
print(f"scale {scaler.get_scale():.0f}")
