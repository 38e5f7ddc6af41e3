"""Accumulation with one clip per step, just before it."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(480, 6)
Y = X @ torch.randn(6, 2)
model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
micro = 3
for epoch in range(5):
    for i, idx in enumerate(torch.randperm(480).split(20), start=1):
        loss = nn.functional.mse_loss(model(X[idx]), Y[idx]) / micro
        loss.backward()
        if i % micro:
            continue
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
print(f"loss {loss.item() * micro:.4f}")
