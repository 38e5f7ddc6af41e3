"""Pretraining in train mode, then the backbone is frozen and put in eval for good while a new head is trained."""
import torch
from torch import nn
import torch.nn.functional as F


def epochs(x, y, n):
    for _ in range(n):
        for idx in torch.randperm(len(x)).split(32):
            yield x[idx], y[idx]


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 10)
backbone = nn.Sequential(nn.Linear(10, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Dropout(0.1))
old_head, new_head = nn.Linear(48, 4), nn.Linear(48, 2)
opt = torch.optim.Adam([*backbone.parameters(), *old_head.parameters()], lr=5e-3)
for x, y in epochs(X, (X @ torch.randn(10, 4)).argmax(1), 4):
    opt.zero_grad()
    F.cross_entropy(old_head(backbone(x)), y).backward()
    opt.step()

backbone.requires_grad_(False)
backbone.eval()
opt = torch.optim.Adam(new_head.parameters(), lr=1e-2)
for x, y in epochs(X, (X[:, 0] > 0).long(), 3):
    opt.zero_grad()
    loss = F.cross_entropy(new_head(backbone(x)), y)
    loss.backward()
    opt.step()
print(f"probe loss {loss.item():.3f}")
