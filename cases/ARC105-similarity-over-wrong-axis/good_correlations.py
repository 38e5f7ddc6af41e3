"""Features of two views are correlated over the batch, and their correlations made those of one matrix."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
encoder = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8))
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
for step in range(30):
    x = torch.randn(64, 16)
    first, second = encoder(x + 0.1 * torch.randn(64, 16)), encoder(x + 0.1 * torch.randn(64, 16))
    first = F.normalize(first - first.mean(0), dim=0)
    second = F.normalize(second - second.mean(0), dim=0)
    correlations = first.T @ second
    loss = F.cross_entropy(correlations / 0.1, torch.arange(8))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
