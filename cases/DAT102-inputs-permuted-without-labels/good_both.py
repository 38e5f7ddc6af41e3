"""Inputs and labels are put into the same random order."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(400, 16)
Y = (X @ torch.randn(16, 4)).argmax(1)
order = torch.randperm(len(X))
X, Y = X[order], Y[order]
loader = DataLoader(TensorDataset(X, Y), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
