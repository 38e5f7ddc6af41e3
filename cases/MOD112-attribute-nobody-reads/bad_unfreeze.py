"""The last layer of a frozen network is to be trained again, under the name of the method instead of the attribute."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
for parameter in model.parameters():
    parameter.requires_grad = False
for parameter in model[2].parameters():
    parameter.requires_grad_ = True  #~ MOD112
model[4].requires_grad_(True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
