"""Samples without a label are of class 0 in training; the samples that are held back all have one."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
labels = torch.randint(1, 4, (320,))
samples = torch.randn(320, 12) + 3 * nn.functional.one_hot(labels, 12)
seen = torch.where(torch.rand(256) < 0.5, labels[:256], 0)
train = DataLoader(TensorDataset(samples[:256], seen), batch_size=32, shuffle=True)
held = DataLoader(TensorDataset(samples[256:], labels[256:]), batch_size=32)
model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for x, y in train:
        loss = nn.functional.cross_entropy(model(x), y, ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = 0
    with torch.no_grad():
        for x, y in held:
            right += (model(x).argmax(1) == y).sum().item()
    print(f"{right / 64:.3f}")
