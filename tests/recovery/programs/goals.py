"""A regression with noise that has a goal; the first argument says what goes wrong, the second which metric is told."""

import sys

import torch
from torch import nn

import tensan

fault, metric = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
if fault == "in_code":
    tensan.goal("loss < 0.3 by 300")
torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for step in range(300):
    x = torch.randn(32, 8)
    loss = nn.functional.mse_loss(model(x) + 0.3 * torch.randn(32, 1), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    if fault == "gradient" and step in (150, 151):
        model[0].weight.grad[0] = float("nan")
    if fault == "weights" and step == 150:
        with torch.no_grad():
            model[2].weight += 3
            model[0].weight[0, 0] = float("nan")
    optimizer.step()
    if metric and step % 10 == 9:
        tensan.measured(metric, 1 / (1 + loss.item()))
