"""A loss is compiled for one shape, and gets sequences of ever new lengths."""

import torch
from torch import nn


@torch.compile(backend="eager", dynamic=False)
def error(outputs, targets):  #~ HDW120
    return (outputs - targets).pow(2).mean()


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(4, 5 + step, 8)
    optimizer.zero_grad()
    loss = error(model(x), x.sum(2, keepdim=True))
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
