"""The rate is lowered in each epoch by setting an attribute of the optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(6):
    optimizer.lr = 0.1 * 0.5 ** (epoch + 1)  #~ OPT116
    for _ in range(10):
        x = torch.randn(32, 8)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
