"""A small task with a fault of a kind for a number of steps; prints how many steps left something broken, and the loss on held-out data."""

import sys

import torch
from torch import nn

task, fault, length = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.manual_seed(0)
torch.set_num_threads(1)
STEPS, BEGIN = 120, 30


class Scaled(nn.Module):
    """A recurrent net whose inputs are scaled by a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(4))
        self.cell, self.head = nn.GRU(4, 12, batch_first=True), nn.Linear(12, 1)

    def forward(self, x):
        return self.head(self.cell(x * self.scale)[0][:, -1])


if task == "regression":
    model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    shape, target, criterion = (32, 8), lambda x: x.sum(1, keepdim=True), nn.MSELoss()
elif task == "images":
    model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    shape, target, criterion = (32, 1, 8, 8), lambda x: (x.mean((1, 2, 3)) > 0).long(), nn.CrossEntropyLoss()
else:
    model = Scaled()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, foreach=False)
    shape, target, criterion = (32, 5, 4), lambda x: x[:, -1].sum(1, keepdim=True), nn.MSELoss()

buffer = model.scale if task == "sequence" else model[1].running_mean
data, generator = torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)
contaminated = 0
for step in range(STEPS):
    broken = fault if BEGIN <= step < BEGIN + length else ""
    x = torch.randn(shape, generator=data)
    y = target(x)
    if broken == "data":
        x.view(-1)[7] = float("inf")
    if broken == "buffer":
        buffer[0] = float("nan")
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    if broken == "loss":
        loss = loss * float("nan")
    loss.backward()
    first = next(model.parameters())
    if broken == "gradient":
        first.grad.view(-1)[0] = float("-inf")
    if broken == "moment":
        held = optimizer.state[first]
        held["momentum_buffer" if "momentum_buffer" in held else "exp_avg"].view(-1)[0] = float("nan")
    optimizer.step()
    contaminated += not all(torch.isfinite(parameter).all() for parameter in model.parameters())
model.eval()
x = torch.randn((512, *shape[1:]), generator=generator)
with torch.no_grad():
    loss = criterion(model(x), target(x))
print(contaminated, all(bool(torch.isfinite(tensor).all()) for tensor in model.state_dict().values()), f"{float(loss):.6f}")
