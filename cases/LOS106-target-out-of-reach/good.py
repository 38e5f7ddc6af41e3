"""The same regression without an activation at its end."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
price = (X @ torch.randn(8, 1)) * 40 + 300
Y = (price - price.mean()) / price.std()
loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)
model, criterion = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)), nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
