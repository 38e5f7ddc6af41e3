"""Predictions of shape [16, 1] are compared with targets of shape [16]."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
accelerator = Accelerator(cpu=True, mixed_precision="bf16")
x = torch.randn(128, 4)
loader = DataLoader(TensorDataset(x, x.sum(1)), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for _ in range(2):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = ((model(inputs) - targets) ** 2).mean()  #~ SHP101
        accelerator.backward(loss)
        optimizer.step()
