"""The stored data is sorted by class, and the loader shuffles it."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
Y = torch.arange(5).repeat_interleave(100)
X = torch.randn(5, 20)[Y] + torch.randn(500, 20)
loader = DataLoader(TensorDataset(X, Y), batch_size=25, shuffle=True)
in_order = DataLoader(TensorDataset(X, Y), batch_size=25)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, sum((model(x).argmax(1) == y).sum().item() for x, y in in_order) / 500)
