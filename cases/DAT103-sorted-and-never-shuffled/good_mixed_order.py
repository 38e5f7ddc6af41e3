"""The loader does not shuffle, but the data was shuffled once before it was stored."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
Y = torch.arange(5).repeat_interleave(100)
X = torch.randn(5, 20)[Y] + torch.randn(500, 20)
order = torch.randperm(500)
loader = DataLoader(TensorDataset(X[order], Y[order]), batch_size=25)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
