"""Losses of a sequence are added up over a window, differentiated together, and the sum begins anew; a short queue holds the last few."""
from collections import deque

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
cell, head = nn.GRUCell(3, 16), nn.Linear(16, 3)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=0.01)
recent = deque(maxlen=5)
h = torch.zeros(8, 16)
series = torch.randn(401, 8, 3).cumsum(0) * 0.1
loss = 0
for t in range(400):
    h = cell(series[t], h)
    loss = loss + nn.functional.mse_loss(head(h), series[t + 1] - series[t])
    if (t + 1) % 20 == 0:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        recent.append(loss)
        h, loss = h.detach(), 0
print(f"recent {sum(recent).item() / len(recent):.3f}")
