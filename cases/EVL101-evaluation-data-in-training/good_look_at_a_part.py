"""All data are trained on, and afterwards a part of them goes through the model to be looked at: nothing is held out."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
data = TensorDataset(X, X[:, :2].sum(1, keepdim=True))
loader = DataLoader(data, batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    model.train()
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
show = DataLoader(Subset(data, range(64)), batch_size=64)
model.eval()
with torch.no_grad():
    for x, y in show:
        for predicted, wanted in zip(model(x)[:5], y[:5]):
            print(f"{predicted.item():.3f} for {wanted.item():.3f}")
