"""Class vectors stand in columns, and are brought to length one along them."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
encoder = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8))
classes = nn.Parameter(torch.randn(8, 5))
optimizer = torch.optim.Adam([*encoder.parameters(), classes], lr=1e-3)
for step in range(30):
    x = torch.randn(64, 16)
    y = x[:, :5].argmax(1)
    logits = 10 * F.normalize(encoder(x), dim=1) @ F.normalize(classes, dim=0)
    loss = F.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
