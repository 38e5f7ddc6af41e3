"""`model.train()` stands before the loop over the epochs, `model.eval()` in it."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
accelerator = Accelerator(cpu=True)
x = torch.randn(160, 6)
y = x.sum(1, keepdim=True)
train, held = DataLoader(TensorDataset(x[:128], y[:128]), batch_size=16, shuffle=True), DataLoader(TensorDataset(x[128:], y[128:]), batch_size=32)
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
model, optimizer, train, held = accelerator.prepare(model, optimizer, train, held)
model.train()
for epoch in range(3):
    for inputs, targets in train:
        optimizer.zero_grad()
        accelerator.backward(nn.functional.mse_loss(model(inputs), targets))
        optimizer.step()
    model.eval()  #~ MOD101
    with torch.no_grad():
        print(epoch, sum(nn.functional.mse_loss(model(inputs), targets).item() for inputs, targets in held))
