"""The set holds positives alone, and each step makes its negatives out of noise, with smoothed targets."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
positives = torch.randn(400, 6) * 0.5 + 1
loader = DataLoader(TensorDataset(positives, torch.ones(400)), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    for x, y in loader:
        noise = torch.rand_like(x) * 6 - 3
        optimizer.zero_grad()
        loss = criterion(model(x).squeeze(1), y) + criterion(model(noise).squeeze(1), torch.full((len(noise),), 0.1))
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
