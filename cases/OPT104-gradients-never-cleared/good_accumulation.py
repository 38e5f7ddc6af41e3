"""Gradient accumulation over four micro-batches, scaled and cleared at each step."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(512, 8)
Y = (X @ torch.randn(8, 3)).argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.5)
every = 4
for epoch in range(5):
    opt.zero_grad()
    for i, idx in enumerate(torch.randperm(512).split(16)):
        loss = nn.functional.cross_entropy(model(X[idx]), Y[idx]) / every
        loss.backward()
        if (i + 1) % every == 0:
            opt.step()
            opt.zero_grad()
print(f"loss {loss.item() * every:.3f}")
