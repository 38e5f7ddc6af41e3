"""The same program, mended."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.value = nn.Linear(dim, dim)
        self.gate = nn.Linear(dim, dim)

    def forward(self, x):
        weight = torch.sigmoid(self.gate(x))
        weight = weight + 1
        return self.value(x) * weight


torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(Gate(8), nn.ReLU(), Gate(8), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(32, 8), torch.randn(32, 1)
for i in range(3):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("gated")
