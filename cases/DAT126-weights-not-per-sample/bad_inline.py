"""Rare alarms among readings of a machine: the sampler, made in passing, has two weights."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
torch.set_num_threads(1)
readings = torch.randn(600, 6)
alarm = (readings[:, :2].sum(1) + 0.4 * torch.randn(600) > 2.2).float().unsqueeze(1)
training = Subset(TensorDataset(readings, alarm), torch.randperm(600)[:480].tolist())
share = alarm.mean().item()
loader = DataLoader(training, 32, sampler=WeightedRandomSampler([share, 1 - share], num_samples=480))  #~ DAT126
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
