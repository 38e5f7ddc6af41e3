"""Quantities that are never negative, between 0 and 1 or between -1 and 1, measured with much noise."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
X = torch.randn(512, 4)
weights = torch.tensor([1.0, -0.5, 0.3, 0.2])
truths = {
    nn.Softplus(): F.relu(X @ weights - 0.3),
    nn.ReLU(): F.relu(X @ weights),
    nn.Sigmoid(): torch.sigmoid(2 * X @ weights),
    nn.Tanh(): torch.sin(X @ weights),
}
for last, truth in truths.items():
    measured = truth + 0.3 * torch.randn(512)
    model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1), last)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(2):
        for rows in torch.randperm(512).split(64):
            loss = F.mse_loss(model(X[rows]).squeeze(1), measured[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(type(last).__name__, loss.item())

time = torch.linspace(0, 5, 400)
counts = torch.exp(-2.0 * time) + 0.15 * torch.randn(400)
start, rate = torch.zeros((), requires_grad=True), torch.zeros((), requires_grad=True)
optimizer = torch.optim.Adam([start, rate], lr=0.03)
for i in range(40):
    loss = F.mse_loss(torch.exp(start - rate.exp() * time), counts)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(rate.exp().item())
