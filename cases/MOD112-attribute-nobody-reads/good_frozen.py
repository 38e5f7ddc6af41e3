"""Freezing as it is done right: on each parameter, by the method, and with a module's attribute that says the same."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
for parameter in model[0].parameters():
    parameter.requires_grad = False
model[0].requires_grad = False
model[2].requires_grad = True
model[2].weight.trainable = True
optimizer = torch.optim.SGD(model[2].parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
