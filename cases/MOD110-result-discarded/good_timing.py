"""Results are thrown away to warm up, to time an operation, and to draw from the generator; a module counts calls in a buffer."""

import time

import torch
from torch import nn


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 4)
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls.add_(1)
        hidden = self.layer(x)
        self.norm(hidden)
        return hidden + self.norm.running_mean


torch.manual_seed(0)
torch.set_num_threads(1)
big = torch.randn(64, 64)
began = time.perf_counter()
for _ in range(20):
    big.exp()
    torch.relu(big)
spent = time.perf_counter() - began
torch.rand(3)
model = Counting()
optimizer = torch.optim.SGD(model.layer.parameters(), lr=0.1)
for step in range(30):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x[:, :4])
    loss.backward()
    loss.item()
    optimizer.step()
