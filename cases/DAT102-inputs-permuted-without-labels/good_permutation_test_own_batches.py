"""A permutation test whose batches the program cuts itself."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
X = torch.randn(400, 6)
Y = (X[:, 0] + X[:, 1] > 0).long()


def score(inputs, labels):
    model = nn.Linear(6, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    for _ in range(3):
        for begin in range(0, 400, 50):
            loss = F.cross_entropy(model(inputs[begin : begin + 50]), labels[begin : begin + 50])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return (model(inputs).argmax(1) == labels).float().mean().item()


true = score(X, Y)
chance = []
for _ in range(4):
    perm = torch.randperm(400)
    y_perm = Y[perm]
    chance.append(score(X, y_perm))
print(true, sum(each >= true for each in chance) / len(chance))
