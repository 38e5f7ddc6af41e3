"""Truncated backpropagation: the state is detached every four moments, within the loss of a long series as well."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
series = torch.randn(32, 40, 2)
wanted = series.sum(2).cumsum(1).sin()
cell, head = nn.GRUCell(2, 12), nn.Linear(12, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=0.01)
for epoch in range(8):
    state = torch.zeros(32, 12)
    for window in range(0, 40, 8):
        optimizer.zero_grad()
        loss = torch.zeros(())
        for t in range(window, window + 8):
            if t % 4 == 0:
                state = state.detach()
            state = cell(series[:, t], state)
            loss = loss + nn.functional.mse_loss(head(state).squeeze(1), wanted[:, t])
        loss.backward()
        optimizer.step()
