"""Gradients are accumulated over four batches, and the counter that says so is used again for the heads."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(body.parameters(), lr=5e-3)
x = torch.randn(192, 8)
y = torch.stack([x.sum(1), x[:, 0]], 1)
weights = [1.0, 0.5]
for epoch in range(3):
    optimizer.zero_grad()
    for i, rows in enumerate(torch.randperm(192).split(16)):
        told = body(x[rows])
        loss = 0.0
        for i, weight in enumerate(weights):
            loss = loss + weight * nn.functional.mse_loss(told[:, i], y[rows, i])
        (loss / 4).backward()
        if (i + 1) % 4 == 0:  #~ OPT130
            optimizer.step()
            optimizer.zero_grad()
print(f"loss {loss.item():.3f}")
