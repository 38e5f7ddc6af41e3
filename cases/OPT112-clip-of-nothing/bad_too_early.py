"""A linear model whose gradients are clipped right after they were cleared."""

import torch
from torch import nn


def train_step(model, optimizer, x):
    optimizer.zero_grad()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  #~ OPT112
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    train_step(model, optimizer, torch.randn(32, 4))
