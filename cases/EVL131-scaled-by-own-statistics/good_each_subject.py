"""Signals of six people, each scaled by that person's own mean and spread, as is usual for them; one of them is held out."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
signals = torch.randn(6, 60, 4) * (1 + torch.rand(6, 1, 4)) + 5 * torch.randn(6, 1, 4)
signals = (signals - signals.mean(1, keepdim=True)) / signals.std(1, keepdim=True)
labels = (signals[:, :, 0] > signals[:, :, 1]).long()
train = DataLoader(TensorDataset(signals[:5].flatten(0, 1), labels[:5].flatten()), batch_size=30, shuffle=True)
test = DataLoader(TensorDataset(signals[5], labels[5]), batch_size=60)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    model.train()
    for x, y in train:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        hits = sum((model(x).argmax(1) == y).sum().item() for x, y in test)
    print(f"epoch {epoch}: {hits} of 60")
