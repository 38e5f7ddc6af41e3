"""A classifier that turns its scores into probabilities along the batch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
features = torch.randn(300, 10)
labels = (features[:, :4] * 2).argmax(1)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4), nn.LogSoftmax(dim=0))  #~ LOS104
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.NLLLoss()
for epoch in range(4):
    for x, y in DataLoader(TensorDataset(features, labels), batch_size=30, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
