"""A small critic learns in full precision beside a scaled network, in the same optimizer: they share no parameter."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
actor, critic = nn.Linear(8, 4), nn.Linear(8, 1)
optimizer = torch.optim.SGD(actor.parameters(), lr=1e-2)
slow = torch.optim.SGD(critic.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=512.0)
for step in range(30):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    slow.zero_grad()
    value = critic(x)
    scaler.scale(nn.functional.cross_entropy(actor(x), x[:, :4].argmax(1))).backward()
    nn.functional.mse_loss(value, x.sum(1, keepdim=True)).backward()
    scaler.step(optimizer)
    scaler.update()
    slow.step()
