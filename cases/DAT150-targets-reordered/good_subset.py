"""Only some samples, drawn after the forward, count in each step: predictions and targets are indexed alike."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
features = torch.randn(512, 8)
wanted = features[:, :2].sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(features, wanted), batch_size=32, shuffle=True):
        prediction = model(x)
        chosen = torch.randperm(len(x))
        loss = F.mse_loss(prediction[chosen], y[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
