"""Two optimizers of the same parameters take turns, and both are cleared before each backward."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
X = torch.randn(320, 6)
Y = [(X[:, task] > 0).long() for task in range(2)]
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizers = [torch.optim.Adam(model.parameters(), lr=1e-3), torch.optim.SGD(model.parameters(), lr=1e-2)]
for step in range(40):
    rows = torch.randint(320, (32,))
    loss = F.cross_entropy(model(X[rows]), Y[0][rows])
    for optimizer in optimizers:
        optimizer.zero_grad()
    loss.backward()
    optimizers[step % 2].step()
print(loss.item())

encoder = nn.Linear(6, 16)
heads = [nn.Linear(16, 2), nn.Linear(16, 2)]
optimizers = [torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=1e-3) for head in heads]


def train(task, rows):
    loss = F.cross_entropy(heads[task](torch.relu(encoder(X[rows]))), Y[task][rows])
    loss.backward()
    optimizers[task].step()
    for optimizer in optimizers:
        optimizer.zero_grad()
    return loss.item()


for step in range(40):
    value = train(step % 2, torch.randint(320, (32,)))
print(value)
