"""A permutation test whose true labels come last."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X = torch.randn(400, 6)
Y = (X[:, 0] + X[:, 1] > 0).long()


def score(inputs, labels):
    model = nn.Linear(6, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    loader = DataLoader(TensorDataset(inputs, labels), batch_size=50, shuffle=True)
    for _ in range(3):
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return (model(inputs).argmax(1) == labels).float().mean().item()



chance = []
for _ in range(4):
    perm = torch.randperm(400)
    y_perm = Y[perm]
    chance.append(score(X, y_perm))
true = score(X, Y)
print(true, sum(each >= true for each in chance) / len(chance))
