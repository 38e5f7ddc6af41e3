"""AdamW with its default decay, and NAdam that is told to decay beside its step."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
first, second = nn.Linear(8, 1), nn.Linear(8, 1)
one = torch.optim.AdamW(first.parameters(), lr=1e-3)
two = torch.optim.NAdam(second.parameters(), lr=1e-3, weight_decay=1e-2, decoupled_weight_decay=True)
for step in range(20):
    x = torch.randn(32, 8)
    for net, optimizer in ((first, one), (second, two)):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
