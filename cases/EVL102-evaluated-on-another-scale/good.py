"""Both parts are standardised by the mean and spread of the training part."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(640, 16) * torch.linspace(5, 60, 16) + 40
Y = ((X - 40) @ torch.randn(16) > 0).long()
mean, std = X[:512].mean(0), X[:512].std(0)
train_x = (X[:512] - mean) / std
loader = DataLoader(TensorDataset(train_x, Y[:512]), batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
test_x = (X[512:] - mean) / std
with torch.no_grad():
    right = (model(test_x).argmax(1) == Y[512:]).float().mean()
print(f"accuracy {right.item():.3f}")
