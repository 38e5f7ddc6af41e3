"""A generator with a momentum of 0.9 that is only ever sampled in train mode: nobody reads its running statistics."""

import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32, momentum=0.9), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
real, generated = torch.ones(64, 1), torch.zeros(64, 1)
for step in range(60):
    fake = G(torch.randn(64, 8))
    loss_d = bce(D(torch.randn(64, 2) + 1), real) + bce(D(fake.detach()), generated)
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    loss_g = bce(D(fake), real)
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
print(loss_d.item(), loss_g.item())
