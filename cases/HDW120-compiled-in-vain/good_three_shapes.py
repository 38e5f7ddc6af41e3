"""Sequences are padded to three lengths, each with a version of its own, in train and in eval mode."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.Linear(16, 1))
compiled = torch.compile(model, backend="eager", dynamic=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(24):
    x = torch.randn(4, (8, 16, 32)[step % 3], 8)
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(compiled(x), x.sum(2, keepdim=True))
    loss.backward()
    optimizer.step()
    if step % 6 == 5:
        model.eval()
        with torch.no_grad():
            print(f"error {nn.functional.mse_loss(compiled(x), x.sum(2, keepdim=True)).item():.3f}")
