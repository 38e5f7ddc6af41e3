"""Context managers that are entered, wrap a function, are entered by a stack or a subclass, and a switch that is a call."""

import contextlib

import torch
from torch import nn


class Quiet(torch.no_grad):
    def __init__(self):
        super().__init__()
        self.name = "quiet"


@torch.no_grad()
def accuracy(model, x, y):
    return (model(x).argmax(1) == y).float().mean()


@contextlib.contextmanager
def told(name):
    print(name, end=" ")
    yield


@told("spread")
def spread(model, x):
    return model(x).std()


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
half = torch.autocast("cpu", dtype=torch.bfloat16)
for _ in range(3):
    for rows in torch.randperm(192).split(64):
        optimizer.zero_grad()
        with half:
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    torch.set_grad_enabled(False)
    value = float(nn.functional.cross_entropy(model(x[192:]), y[192:]))
    torch.set_grad_enabled(True)
    with told("value:"), Quiet(), contextlib.ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        print(round(value, 2), round(float(accuracy(model, x[192:], y[192:])), 2))
    torch.no_grad()(spread)(model, x[192:])
