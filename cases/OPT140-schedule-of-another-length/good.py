"""A decay over all batches of the run."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)

inputs = torch.randn(320, 8)
targets = inputs @ torch.randn(8, 1) + 0.5 * torch.randn(320, 1)
loader = DataLoader(TensorDataset(inputs, targets), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=5 * len(loader), power=0.9)
for epoch in range(5):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        scheduler.step()
    print(f"rate {scheduler.get_last_lr()[0]:.4f}")
