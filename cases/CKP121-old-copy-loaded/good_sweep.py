"""A model begins each trial of a sweep with the weights that it had at first."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
weights = copy.deepcopy(model.state_dict())
x = torch.randn(128, 4)
y = x.sum(1, keepdim=True)
for rate in (1e-1, 3e-2, 1e-2, 3e-3):
    model.load_state_dict(weights)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for step in range(20):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    print(f"rate {rate}: loss {loss.item():.3f}")
