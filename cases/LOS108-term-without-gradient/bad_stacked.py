"""Two terms are stacked and summed, and the penalty among them was detached on the way."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
target = x @ torch.randn(6)
trunk, head = nn.Linear(6, 16), nn.Linear(16, 1)
optimizer = torch.optim.Adam([{"params": trunk.parameters(), "lr": 1e-3}, {"params": head.parameters()}], lr=5e-3)
for step in range(30):
    batch = torch.randint(0, 256, (32,))
    hidden = trunk(x[batch]).tanh()
    error = nn.functional.mse_loss(head(hidden).squeeze(1), target[batch])
    penalty = hidden.pow(2).mean()
    loss = torch.stack([error, 0.1 * penalty.detach()]).sum()  #~ LOS108
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
