"""A trained model gets a new optimizer for its head alone, then one for all of it, and its body keeps requiring gradient."""

import torch
from torch import nn


def fit(model, optimizer, x, y, epochs):
    for _ in range(epochs):
        for index in torch.randperm(len(x)).split(32):
            model.zero_grad()
            nn.functional.cross_entropy(model(x[index]), y[index]).backward()
            optimizer.step()


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 8)
y = x[:, :3].argmax(1)
body, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 3)
model = nn.Sequential(body, head)
body.requires_grad_(False)
fit(model, torch.optim.Adam(head.parameters(), lr=1e-2), x, y, 1)
body.requires_grad_(True)
fit(model, torch.optim.Adam(model.parameters(), lr=1e-2), x, y, 2)
fit(model, torch.optim.SGD(head.parameters(), lr=1e-1), x, y, 2)
