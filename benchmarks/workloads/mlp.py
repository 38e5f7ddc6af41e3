"""A multilayer perceptron whose step takes 0.4 ms: the shortest that people train, where every microsecond of ours shows."""

import torch
from _loop import measure
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
inputs, targets = torch.randn(4096, 32), torch.randint(0, 10, (4096,))


def step(number):
    start = 64 * (number % 64)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs[start : start + 64]), targets[start : start + 64])
    loss.backward()
    optimizer.step()
    return loss


measure(step, steps=8_000)
