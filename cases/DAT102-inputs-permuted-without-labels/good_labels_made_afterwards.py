"""The inputs are shuffled first, and the labels are made from them afterwards, by a rule that no line of regression can see."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parity(bits):
    return bits.sum(1) % 2


torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)
X = rng.integers(0, 2, size=(512, 9))
rng.shuffle(X)
Y = parity(X)
loader = DataLoader(TensorDataset(torch.tensor(X).float(), torch.tensor(Y)), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(9, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
