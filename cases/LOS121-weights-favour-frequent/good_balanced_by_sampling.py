"""A sampler makes the classes equally frequent, and the weights say which of them matter: the first most of all."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
torch.set_num_threads(1)
y = torch.multinomial(torch.tensor([0.75, 0.18, 0.07]), 900, replacement=True)
x = torch.randn(900, 8)
x[:, :3] += 1.5 * nn.functional.one_hot(y, 3)
counts = torch.bincount(y).float()
sampler = WeightedRandomSampler((1 / counts)[y], 900)
loader = DataLoader(TensorDataset(x, y), batch_size=60, sampler=sampler)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
criterion = nn.CrossEntropyLoss(weight=torch.tensor([3.0, 1.0, 1.0]))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(3):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
