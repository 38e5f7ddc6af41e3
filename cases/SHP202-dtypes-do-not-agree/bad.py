"""A table of floats whose last column, the class, stays a float."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def load():
    rng = np.random.RandomState(0)
    table = np.concatenate([rng.randn(90, 6), rng.randint(0, 4, (90, 1))], axis=1).astype("float32")
    return TensorDataset(torch.tensor(table[:, :6]), torch.tensor(table[:, 6]))


def fit(model, loader, epochs=2):
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(epochs):
        total = 0.0
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)  #~ SHP202
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print("epoch", epoch)


if __name__ == "__main__":
    torch.manual_seed(0)
    fit(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4)), DataLoader(load(), batch_size=30))
