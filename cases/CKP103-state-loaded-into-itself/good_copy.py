"""A target network that is a copy, and a state that is averaged in place before it is loaded back."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
online = nn.Linear(4, 2)
target = copy.deepcopy(online).requires_grad_(False)
optimizer = torch.optim.SGD(online.parameters(), lr=0.05)
for step in range(40):
    x = torch.randn(32, 4)
    wanted = x[:, :2] + 0.5 * target(x)
    optimizer.zero_grad()
    nn.functional.mse_loss(online(x), wanted).backward()
    optimizer.step()
    if step % 5 == 0:
        target.load_state_dict(online.state_dict())
    state = online.state_dict()
    for value in state.values():
        value.mul_(0.999)
    online.load_state_dict(state)
