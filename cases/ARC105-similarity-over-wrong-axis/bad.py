"""Two views of each sample are compared by their cosines, which were normalised along the batch."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
encoder = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8))
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
for step in range(30):
    x = torch.randn(64, 16)
    first = F.normalize(encoder(x + 0.1 * torch.randn(64, 16)), dim=0)  #~ ARC105
    second = F.normalize(encoder(x + 0.1 * torch.randn(64, 16)), dim=0)  #~ ARC105
    logits = first @ second.T / 0.1
    loss = F.cross_entropy(logits, torch.arange(64))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
