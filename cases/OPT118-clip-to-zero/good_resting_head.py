"""Two heads are trained in turns: the gradients of the one that rests are clipped to 0."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
heads = nn.ModuleList([nn.Linear(4, 1), nn.Linear(4, 1)])
optimizer = torch.optim.SGD(heads.parameters(), lr=0.1)
for step in range(20):
    x = torch.randn(32, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(heads[0](x) + heads[1](x), x.sum(1, keepdim=True)).backward()
    nn.utils.clip_grad_norm_(heads[step % 2].parameters(), 1.0)
    nn.utils.clip_grad_norm_(heads[1 - step % 2].parameters(), 0.0)
    optimizer.step()
