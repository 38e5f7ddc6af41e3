"""An embedding whose neighbours are looked for among all pairs, and an ensemble whose spread is scored by all pairs of its members."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(300, 6)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for rows in torch.randperm(240).split(24):
        optimizer.zero_grad()
        z = model(x[rows])
        same = (y[rows][:, None] == y[rows][None, :]).float()
        loss = (torch.cdist(z, z) * same).mean() + (1 - torch.cdist(z, z)).clamp(min=0).mul(1 - same).mean()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        z = model(x[240:])
        near = torch.cdist(z, z).fill_diagonal_(9e9).argmin(1)
        agree = (y[240:][near] == y[240:]).float().mean()
        spread = (z[:, :1] - z[:, 0]).abs().mean()
        away = (z[:, :1] - y[240:][None, :]).abs().mean()
    print(epoch, agree.item(), spread.item(), away.item())
