"""Inputs and labels are shuffled one after the other, from the same seed, and so into the same order."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = np.random.default_rng(0).normal(size=(480, 8)).astype(np.float32)
Y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)
np.random.default_rng(7).shuffle(X)
np.random.default_rng(7).shuffle(Y)
loader = DataLoader(TensorDataset(torch.tensor(X), torch.tensor(Y)), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
