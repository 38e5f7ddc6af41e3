"""A program that expects the error, catches it and goes on."""

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
try:
    nn.Linear(4, 2)(torch.randn(3, 4)).numpy()
except (RuntimeError, ValueError, IndexError) as error:
    print("as expected:", type(error).__name__)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(32, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
