"""A linear model trained with a limit of 0, which was meant to switch clipping off."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
clip = 0.0
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(32, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)  #~ OPT118
    optimizer.step()
