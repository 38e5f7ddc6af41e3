"""Samples are mixed in pairs before a classifier sees them, and each target is weighed by the share of the other sample."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
labels = torch.randint(0, 4, (256,))
samples = torch.randn(256, 20) + nn.functional.one_hot(labels, 20) * 3
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
beta = torch.distributions.Beta(2.0, 5.0)
for epoch in range(4):
    for x, y in DataLoader(TensorDataset(samples, labels), batch_size=32, shuffle=True):
        share = float(beta.sample())
        order = torch.randperm(len(x))
        mixed = share * x + (1 - share) * x[order]
        told = model(mixed)
        loss = share * criterion(told, y[order]) + (1 - share) * criterion(told, y)  #~ LOS126
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
