"""The penalty is added with its gradient, and its number is only logged."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 12)
Y = (X @ torch.randn(12, 4)).argmax(1)
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
logged = 0.0
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        task = F.cross_entropy(model(X[idx]), Y[idx])
        penalty = sum(p.pow(2).sum() for p in model.parameters())
        loss = task + 1e-3 * penalty + 1e-8
        logged += task.item() + 1e-3 * penalty.item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {logged:.3f}")
