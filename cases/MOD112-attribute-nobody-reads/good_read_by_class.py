"""A class reads a switch of its own of that name, and another keeps what it has really done under it."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, trainable):
        super().__init__()
        self.trainable = trainable
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x) if self.trainable else self.layer(x).detach() + 0 * self.layer(x)


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(Scaled(False), nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
model[1].requires_grad_(False)
model[1].trainable = False
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
