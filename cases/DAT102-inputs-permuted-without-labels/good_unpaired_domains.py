"""Translation between two domains, learned from data whose pairs are broken up on purpose."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
A = torch.randn(400, 4)
B = A @ torch.randn(4, 4) + 0.5
perm = torch.randperm(400)
B = B[perm]
loader = DataLoader(TensorDataset(A, B), batch_size=50, shuffle=True)
there, back = nn.Linear(4, 4), nn.Linear(4, 4)
critic = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
for_maps = torch.optim.Adam([*there.parameters(), *back.parameters()], lr=1e-3)
for_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
for epoch in range(4):
    for a, b in loader:
        fake = there(a)
        loss = F.softplus(-critic(fake)).mean() + 10 * F.l1_loss(back(fake), a)
        for_maps.zero_grad()
        loss.backward()
        for_maps.step()
        criticism = F.softplus(-critic(b)).mean() + F.softplus(critic(fake.detach())).mean()
        for_critic.zero_grad()
        criticism.backward()
        for_critic.step()
print(loss.item(), criticism.item())
