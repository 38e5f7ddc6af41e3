"""The held-out set has a distributed sampler whose epoch stays at 0: nothing is learned from its order."""
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 10)
data, held_out = TensorDataset(X[:256], X[:256].sum(1, keepdim=True)), TensorDataset(X[256:], X[256:].sum(1, keepdim=True))
sampler = DistributedSampler(data, num_replicas=1, rank=0)
loader = DataLoader(data, batch_size=32, sampler=sampler)
test_loader = DataLoader(held_out, batch_size=32, sampler=DistributedSampler(held_out, num_replicas=1, rank=0))
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    sampler.set_epoch(epoch)
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, sum(nn.functional.mse_loss(model(x), y).item() for x, y in test_loader))
