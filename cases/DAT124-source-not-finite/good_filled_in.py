"""Tables of three stations are joined, and what is missing in one of them is filled in with its mask beside it."""

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


def station(length):
    x = torch.randn(length, 8)
    return x, x.sum(1, keepdim=True)


north, (south, south_y), west = station(120), station(120), station(120)
south = south.where(torch.rand_like(south) > 0.02, torch.nan)
train = ConcatDataset([TensorDataset(*north), TensorDataset(south, south_y), TensorDataset(*west)])
loader = DataLoader(train, batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(torch.cat([x.nan_to_num(), x.isnan().float()], 1)), y)
        loss.backward()
        optimizer.step()
