"""Many assays, few of them measured: labels of -1 are missing, and a mask takes them out after the loss, or as its weight."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
Y = (X @ torch.randn(8, 6) > 0).float()
Y[torch.rand(256, 6) < 0.6] = -1
model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 6))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        out, y = model(X[idx]), Y[idx]
        known = (y >= 0).float()
        each = F.binary_cross_entropy_with_logits(out, y, reduction="none")
        loss = (each * known).sum() / known.sum()
        loss = loss + 0.1 * F.binary_cross_entropy_with_logits(out, y, weight=known)
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
