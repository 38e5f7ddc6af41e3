"""A backbone that another optimizer trained before is frozen, then thawed, and the new optimizer has the head alone."""

import torch
from torch import nn


def fit(model, optimizer, x, y, epochs):
    for _ in range(epochs):
        for index in torch.randperm(len(x)).split(32):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[index]), y[index]).backward()
            optimizer.step()


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 8)
backbone = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
first = nn.Sequential(backbone, nn.Linear(16, 5))
fit(first, torch.optim.Adam(first.parameters(), lr=1e-2), x, x[:, :5].argmax(1), 2)
model = nn.Sequential(backbone, nn.Linear(16, 3))
backbone.requires_grad_(False)
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)  #~ OPT101
fit(model, optimizer, x, x[:, 5:].argmax(1), 2)
backbone.requires_grad_(True)
fit(model, optimizer, x, x[:, 5:].argmax(1), 3)
