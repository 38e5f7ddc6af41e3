"""A classifier that is to be evaluated with averaged weights, for which the function that swaps them in is called and never entered."""

import contextlib

import torch
from torch import nn


class Average:
    def __init__(self, model, decay=0.95):
        self.model, self.decay = model, decay
        self.values = {name: value.clone() for name, value in model.state_dict().items()}

    def update(self):
        for name, value in self.model.state_dict().items():
            self.values[name].lerp_(value, 1 - self.decay)

    @contextlib.contextmanager
    def applied(self):
        kept = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.model.load_state_dict(self.values)
        yield
        self.model.load_state_dict(kept)


@torch.no_grad()
def evaluate(model, average, x, y):
    average.applied()  #~ MOD110
    return (model(x).argmax(1) == y).float().mean()


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
average = Average(model)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(3):
    for rows in torch.randperm(192).split(64):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
        average.update()
    print(round(float(evaluate(model, average, x[192:], y[192:])), 2))
