"""One sigmoid, and BCELoss."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 9)
Y = (X[:, 0] > 0.3 * X[:, 1]).float()
model, criterion = nn.Sequential(nn.Linear(9, 24), nn.ReLU(), nn.Linear(24, 1), nn.Sigmoid()), nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        optimizer.zero_grad()
        loss = criterion(model(X[idx]).squeeze(1), Y[idx])
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
