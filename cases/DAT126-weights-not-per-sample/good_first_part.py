"""Only the first 60 samples are checked by hand: they are drawn by weights at first, and then all of them."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(400, 5)
y = (x[:, 0] > 0.5).long() + (x[:, 0] > 1.2).long()
data = TensorDataset(x, y)
checked = y[:60]
weights = 1.0 / torch.bincount(checked)[checked]
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
first = DataLoader(data, batch_size=20, sampler=WeightedRandomSampler(weights, num_samples=120))
for loader in (first, DataLoader(data, batch_size=20, shuffle=True)):
    for inputs, targets in loader:
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
