"""Ten classes, 28 inputs and a last batch of odd size, under autocast: what is small or changes need not be filled up."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(28, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(355, 28), torch.randint(0, 10, (355,))
for epoch in range(4):
    for begin in range(0, 355, 71):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x[begin : begin + 71]), y[begin : begin + 71])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
