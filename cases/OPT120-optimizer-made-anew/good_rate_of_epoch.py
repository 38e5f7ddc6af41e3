"""Each epoch has a rate of its own, and begins with a fresh memory: a warm restart by hand."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def train_one_epoch(model, loader, rate):
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
    return loss.item()


inputs = torch.randn(256, 10)
loader = DataLoader(TensorDataset(inputs, (inputs[:, :3].sum(1) > 0).long()), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
for epoch in range(5):
    print(f"epoch {epoch}: loss {train_one_epoch(model, loader, 1e-3 * 0.7**epoch):.3f}")
