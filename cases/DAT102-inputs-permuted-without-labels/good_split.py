"""A permutation splits the data into two parts; labels that are pure chance are no sign of a mistake."""
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(400, 16)
Y = torch.randint(0, 4, (400,))
perm = torch.randperm(400)
train, test = perm[:300], perm[300:]
files = [f"{number}.png" for number in range(400)]
random.shuffle(files)
loader = DataLoader(TensorDataset(X[train], Y[train]), batch_size=30, shuffle=True)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}", (model(X[test]).argmax(1) == Y[test]).float().mean().item())
