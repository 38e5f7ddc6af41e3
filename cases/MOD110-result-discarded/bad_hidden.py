"""A recurrent network fed in pieces, whose inputs are scaled in vain before each step."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
cell, head = nn.GRU(3, 12, batch_first=True), nn.Linear(12, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-3)
series = torch.rand(8, 200, 3) * 255
hidden = None
for start in range(0, 200, 5):
    piece = series[:, start : start + 5]
    piece.div(255.0)  #~ MOD110
    out, hidden = cell(piece, hidden)
    loss = nn.functional.mse_loss(head(out), piece.mean(-1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    hidden = hidden.detach()
