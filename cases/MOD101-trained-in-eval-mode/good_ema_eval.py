"""Validation runs on an averaged copy that is always in eval mode; the live model never leaves train mode."""
import copy
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 8)
Y = (X @ torch.randn(8, 1)).tanh()
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
average = copy.deepcopy(model).eval().requires_grad_(False)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    for idx in torch.randperm(240).split(24):
        opt.zero_grad()
        nn.functional.mse_loss(model(X[idx]), Y[idx]).backward()
        opt.step()
        with torch.no_grad():
            for a, p in zip(average.parameters(), model.parameters()):
                a.lerp_(p, 0.1)
    with torch.no_grad():
        score = nn.functional.mse_loss(average(X[240:]), Y[240:]).item()
print(f"averaged model mse {score:.3f}")
