"""Digits that are counted from one meet ten classes that are counted from zero."""

import torch
from torch import nn


def make_data(n=200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 12, generator=g)
    digits = torch.randint(1, 11, (n,), generator=g)
    return x, digits


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(12, 40)
        self.logits = nn.Linear(40, 10)

    def forward(self, x):
        return self.logits(torch.relu(self.body(x)))


x, y = make_data()
torch.set_num_threads(1)
torch.manual_seed(0)
model = Digits()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
loss_fn = nn.CrossEntropyLoss()
for i in range(0, 200, 50):
    xb, yb = x[i : i + 50], y[i : i + 50]
    loss = loss_fn(model(xb), yb)  #~ SHP203
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print("done")
