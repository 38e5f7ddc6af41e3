"""A control beside the model: a probe that learns from shuffled labels, to see what can be learned from nothing."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
features = torch.randn(512, 8)
labels = features[:, :3].argmax(1)
loader = DataLoader(TensorDataset(features, labels), batch_size=32, shuffle=True)
probe, control = nn.Linear(8, 3), nn.Linear(8, 3)
optimizer = torch.optim.Adam([*probe.parameters(), *control.parameters()], lr=1e-2)
for epoch in range(3):
    for x, y in loader:
        logits, of_nothing = probe(x), control(x)
        shuffled = y[torch.randperm(len(y))]
        loss = F.cross_entropy(logits, y) + F.cross_entropy(of_nothing, shuffled)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
