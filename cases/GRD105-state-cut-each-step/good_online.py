"""Online learning: each moment has its own backward, and the state is detached after each."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
stream = torch.randn(60, 8, 2)
wanted = stream.sum(2).cumsum(0).cos()
cell, head = nn.RNNCell(2, 12), nn.Linear(12, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.05)
state = torch.zeros(8, 12)
for t in range(60):
    state = cell(stream[t], state.detach())
    loss = nn.functional.mse_loss(head(state).squeeze(1), wanted[t])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
