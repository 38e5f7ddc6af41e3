"""Mixup: each prediction is compared with its own label and with that of the sample it was mixed with."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
features = torch.randn(512, 8)
labels = features[:, :3].argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(features, labels), batch_size=32, shuffle=True):
        share, order = 0.7, torch.arange(len(x)).roll(1)
        logits = model(share * x + (1 - share) * x[order])
        loss = share * F.cross_entropy(logits, y) + (1 - share) * F.cross_entropy(logits, y.roll(1, 0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
