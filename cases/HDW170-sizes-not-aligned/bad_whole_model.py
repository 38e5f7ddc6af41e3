"""All of a regression network is kept in bfloat16, and its hidden layers have a hundred and one units."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(
    nn.Linear(64, 101),  #~ HDW170
    nn.GELU(),
    nn.Linear(101, 101),  #~ HDW170
    nn.GELU(),
    nn.Linear(101, 1),
).to(torch.bfloat16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(12):
    x = torch.randn(32, 64, dtype=torch.bfloat16)
    told = model(x)
    loss = (told.squeeze(1).float() - x[:, 0].float()).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
