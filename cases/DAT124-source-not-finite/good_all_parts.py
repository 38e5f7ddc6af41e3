"""Tables of three stations are joined, each with gaps, and rows with gaps are left out where batches are made."""

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


def station(length):
    x = torch.randn(length, 8)
    y = x.sum(1, keepdim=True)
    return TensorDataset(x.where(torch.rand_like(x) > 0.02, torch.nan), y)


def collate(rows):
    whole = [row for row in rows if not row[0].isnan().any()] or [(torch.zeros(8), torch.zeros(1))]
    return tuple(torch.stack(column) for column in zip(*whole, strict=True))


train = ConcatDataset([station(120) for _ in range(3)])
loader = DataLoader(train, batch_size=8, shuffle=True, collate_fn=collate)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
