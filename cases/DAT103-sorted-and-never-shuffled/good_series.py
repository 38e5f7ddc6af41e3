"""A series of states is learned in its own order: each state comes back again and again."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
Y = torch.tensor([0, 1, 2, 1, 0, 2, 1, 0]).repeat_interleave(50)
X = torch.randn(3, 12)[Y] + torch.randn(400, 12)
loader = DataLoader(TensorDataset(X, Y), batch_size=25)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
