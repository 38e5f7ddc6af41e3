"""A classifier for whose evaluation gradients are switched off, and for whose training half precision is switched on, by statements alone."""

import torch
from torch import nn


def evaluate(model, x, y):
    model.eval()
    torch.no_grad()  #~ MOD110
    accuracy = (model(x).argmax(1) == y).float().mean()
    model.train()
    return accuracy


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(3):
    for rows in torch.randperm(192).split(64):
        optimizer.zero_grad()
        torch.autocast("cpu", dtype=torch.bfloat16)  #~ MOD110
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(round(float(evaluate(model, x[192:], y[192:])), 2))
