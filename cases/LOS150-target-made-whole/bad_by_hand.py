"""Absolute errors by hand, from batches that are cut by hand; the targets were made integers a line earlier."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.rand(640, 5)
y = 4 * x[:, 0] + 3 * x[:, 1] * x[:, 2]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(5, 24), nn.SiLU(), nn.Linear(24, 1))

    def forward(self, x):
        return self.layers(x)[:, 0]


model = Model()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for epoch in range(3):
    for begin in range(0, 640, 64):
        predicted = model(x[begin : begin + 64])
        wanted = y[begin : begin + 64].to(torch.int64)  #~ LOS150
        loss = (predicted - wanted).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
