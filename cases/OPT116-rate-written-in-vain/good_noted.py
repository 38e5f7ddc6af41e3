"""The rate is set in the groups and noted on the optimizer as well, for the log."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(50):
    rate = 0.1 * 0.97**step
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.lr = rate
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
