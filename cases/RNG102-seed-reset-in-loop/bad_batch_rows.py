"""Kinds of rocks: rows are drawn with NumPy's generator, which a function makes from the same number for each step."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
minerals = torch.randn(1200, 7)
rocks = (minerals[:, 0] > 0).long() + (minerals[:, 3] > 0.4).long()


def draw(inputs, labels, size):
    rng = np.random.default_rng(5)  #~ RNG102
    rows = rng.choice(len(inputs), size)
    return inputs[rows], labels[rows]


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


model = nn.Sequential(nn.Linear(7, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
for number in range(150):
    x, y = draw(minerals, rocks, 40)
    loss = step(model, optimizer, x, y)
print(f"loss {loss.item():.3f}")
