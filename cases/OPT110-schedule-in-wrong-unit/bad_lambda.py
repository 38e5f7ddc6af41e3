"""A linear decay by hand, counted in epochs and stepped per batch."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)

run = argparse.Namespace(epochs=8)
x = torch.randn(320, 6)
loader = DataLoader(TensorDataset(x, (x[:, 0] > x[:, 1]).long()), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(6, 24), nn.GELU(), nn.Linear(24, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / run.epochs))  #~ OPT110
for epoch in range(run.epochs):
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        loss.backward()
        optimizer.step()
        scheduler.step()  #~? OPT110
    print(f"loss {loss.item():.3f}")
