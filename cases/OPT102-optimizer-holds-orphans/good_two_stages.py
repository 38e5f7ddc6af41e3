"""The first stage's optimizer is left behind when the second stage starts with a new model and a new optimizer."""
import copy
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
small = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 8))
optimizer = torch.optim.Adam(small.parameters(), lr=0.01)
for _ in range(30):
    x = X[torch.randint(0, 256, (32,))]
    optimizer.zero_grad()
    F.mse_loss(small(x + 0.3 * torch.randn_like(x)), x).backward()
    optimizer.step()

model = nn.Sequential(copy.deepcopy(small[:2]), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
Y = (X[:, 0] + X[:, 1] > 0).long()
for _ in range(30):
    idx = torch.randint(0, 256, (32,))
    loss = F.cross_entropy(model(X[idx]), Y[idx])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
