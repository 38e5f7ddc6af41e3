"""Weights of zero keep part of the samples out: there is a weight for each of them."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(300, 4)
y = (x[:, 0] - x[:, 1] > 0).long()
weights = torch.zeros(300, dtype=torch.double)
weights[:2] = 0.5
weights[200:] = 1.0
loader = DataLoader(TensorDataset(x, y), batch_size=25, sampler=WeightedRandomSampler(weights, 250))
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
for _ in range(3):
    for inputs, targets in loader:
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
