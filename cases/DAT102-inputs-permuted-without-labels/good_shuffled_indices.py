"""Indices and names are shuffled by themselves, and the labels are pure chance: no array has lost its partner."""
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset


def split(count, share):
    places = list(range(count))
    random.shuffle(places)
    return places[: int(share * count)], places[int(share * count) :]


torch.manual_seed(0)
torch.set_num_threads(1)
random.seed(0)
X = torch.randn(400, 16)
Y = torch.randint(0, 4, (400,))
files = [f"{number}.png" for number in range(400)]
random.shuffle(files)
train, test = split(400, 0.8)
data = TensorDataset(X, Y)
loader = DataLoader(Subset(data, train), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in loader:
        negatives = x[torch.randperm(len(x))]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y) + 0.01 * model(negatives).square().mean()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}", files[0])
