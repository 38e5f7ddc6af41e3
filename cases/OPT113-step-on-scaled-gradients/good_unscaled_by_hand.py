"""Gradients are divided by the scale by hand, or by `unscale_`, before the optimizer is stepped by itself."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
first, second = nn.Linear(8, 1), nn.Linear(8, 1)
one, two = torch.optim.SGD(first.parameters(), lr=0.05), torch.optim.SGD(second.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
for step in range(30):
    x = torch.randn(32, 8)
    one.zero_grad()
    two.zero_grad()
    loss = nn.functional.mse_loss(first(x), x.sum(1, keepdim=True)) + nn.functional.mse_loss(second(x), x.prod(1, keepdim=True))
    scaler.scale(loss).backward()
    for weight in first.parameters():
        weight.grad.div_(scaler.get_scale())
    one.step()
    scaler.unscale_(two)
    two.step()
    scaler.update()
