"""A function that adds noise to what it is given seeds for each batch: each batch gets the same noise."""

import numpy as np
import torch
from torch import nn


def noisy(x):
    np.random.seed(7)  #~ RNG102
    return x + torch.from_numpy(np.random.normal(0, 0.3, x.shape)).float()


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 8)
Y = X.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for batch in torch.randperm(320).split(32):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(noisy(X[batch])), Y[batch])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
