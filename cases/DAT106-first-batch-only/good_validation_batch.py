"""A glance at the first validation batch after each step of training."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 10)
Y = X.sum(1, keepdim=True)
loader = DataLoader(TensorDataset(X[:256], Y[:256]), batch_size=32, shuffle=True)
val_loader = DataLoader(TensorDataset(X[256:], Y[256:]), batch_size=32)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            x, y = next(iter(val_loader))
            error = nn.functional.mse_loss(model(x), y).item()
print(f"validation {error:.4f}")
