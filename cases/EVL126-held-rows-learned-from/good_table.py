"""A table is split by indices, and the loss is taken over the rows of training."""
from types import SimpleNamespace

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(200, 6)
order = torch.randperm(200)
data = SimpleNamespace(x=x, y=x[:, 0] * x[:, 1] + 0.1 * torch.randn(200), train_rows=order[:150], val_rows=order[150:])
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def evaluate():
    model.eval()
    with torch.no_grad():
        error = model(data.x[data.val_rows]).squeeze(1) - data.y[data.val_rows]
    return error.abs().mean().item()


for epoch in range(30):
    model.train()
    loss = nn.functional.mse_loss(model(data.x[data.train_rows]).squeeze(1), data.y[data.train_rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"validation {evaluate():.3f}")
