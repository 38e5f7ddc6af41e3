"""Gradients are clipped where they are, with a list that is kept and used in each step."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(4, 1)
parameters = list(model.parameters())
optimizer = torch.optim.SGD(parameters, lr=0.1)
for _ in range(20):
    x = torch.randn(32, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
