"""Two heads have optimizers of their own, and the body that both share steps last, on the sum of what both losses left in it."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
size, kind = nn.Linear(24, 1), nn.Linear(24, 3)
body_optimizer = torch.optim.Adam(body.parameters(), lr=1e-3)
size_optimizer = torch.optim.Adam(size.parameters(), lr=1e-3)
kind_optimizer = torch.optim.SGD(kind.parameters(), lr=1e-2)
for _ in range(30):
    rows = torch.randn(32, 6)
    for optimizer in (body_optimizer, size_optimizer, kind_optimizer):
        optimizer.zero_grad()
    size_loss = nn.functional.mse_loss(size(body(rows)), rows.sum(1, keepdim=True))
    size_loss.backward()
    size_optimizer.step()
    kind_loss = nn.functional.cross_entropy(kind(body(rows)), rows[:, :3].argmax(1))
    kind_loss.backward()
    body_optimizer.step()
    kind_optimizer.step()
print(f"{size_loss.item():.3f} {kind_loss.item():.3f}")
