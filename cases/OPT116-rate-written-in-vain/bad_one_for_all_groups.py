"""A pretrained body is to learn slowly, but the warm-up by hand gives every group the same rate."""

import math

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 32), nn.Tanh())
        self.head = nn.Linear(32, 3)

    def forward(self, x):
        return self.head(self.body(x))


def rate_at(step, *, peak=2e-3, warmup=8, total=60):
    if step < warmup:
        return peak * (step + 1) / warmup
    return 0.5 * peak * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


torch.manual_seed(0)
torch.set_num_threads(1)
model = Tagger()
optimizer = torch.optim.AdamW(
    [
        {"params": model.body.parameters(), "lr": 1e-5},
        {"params": model.head.parameters()},
    ],
    lr=2e-3,
)
for step in range(60):
    x = torch.randn(32, 10)
    lr = rate_at(step)
    for group in optimizer.param_groups:
        group["lr"] = lr  #~ OPT116
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
