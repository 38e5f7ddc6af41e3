"""The validation set is one batch, so that the loop over it has one pass; predictions of another set are stored as they come."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(256, 8)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), 32, shuffle=True)
held_out = torch.randn(64, 8)
one_batch = DataLoader(TensorDataset(held_out, held_out.sum(1, keepdim=True)), 64)
whole = torch.zeros(64, 1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        for start, part in enumerate(held_out.split(16)):
            predicted = model(part)
            whole[16 * start :][:16] = predicted
        for inputs, targets in one_batch:
            predicted = model(inputs)
        error = (predicted - targets).abs().mean().item()
    print(f"epoch {epoch}: error {(whole - held_out.sum(1, keepdim=True)).abs().mean().item():.3f} {error:.3f}")
