"""Continual learning: each task has its own data, and its own optimizer."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def train_one_epoch(model, loader):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
    return loss.item()


model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
for task in range(5):
    inputs = torch.randn(256, 10)
    loader = DataLoader(TensorDataset(inputs, (inputs[:, task : task + 3].sum(1) > 0).long()), batch_size=32, shuffle=True)
    print(f"task {task}: loss {train_one_epoch(model, loader):.3f}")
