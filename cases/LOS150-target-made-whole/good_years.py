"""Ages of many years are regressed on in whole years, as people tell them."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(512, 8)
age = 20 + 50 * torch.sigmoid(x[:, 0] + 0.1 * torch.randn(512))
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for batch in torch.randperm(512).split(64):
        optimizer.zero_grad()
        years = age[batch].int().float()
        loss = nn.functional.smooth_l1_loss(50 * model(x[batch]).squeeze(1), years)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
