"""Each of five folds begins from one and the same seed, with a model and an optimizer of its own."""
import random

import numpy as np
import torch
from torch import nn


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


torch.set_num_threads(1)
seed_everything(0)
X = np.random.randn(500, 6).astype(np.float32)
Y = X.sum(1, keepdims=True)
folds = np.array_split(np.random.permutation(len(X)), 5)
for number, held_out in enumerate(folds):
    seed_everything(0)
    rest = np.setdiff1d(np.arange(len(X)), held_out)
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(3):
        np.random.shuffle(rest)
        for begin in range(0, len(rest), 50):
            x = torch.from_numpy(X[rest[begin : begin + 50]])
            y = torch.from_numpy(Y[rest[begin : begin + 50]])
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    with torch.no_grad():
        print(number, nn.functional.mse_loss(model(torch.from_numpy(X[held_out])), torch.from_numpy(Y[held_out])).item())
