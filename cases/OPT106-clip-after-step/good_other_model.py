"""Clipping of the generator comes after the critic's step but before the generator's own."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
G, D = nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(), nn.Linear(24, 1))
og, od = torch.optim.Adam(G.parameters(), 5e-3), torch.optim.Adam(D.parameters(), 5e-3)
for _ in range(40):
    fake = G(torch.randn(32, 3))
    og.zero_grad()
    F.softplus(-D(fake)).mean().backward()
    od.zero_grad()
    loss_d = F.softplus(D(fake.detach())).mean() + F.softplus(-D(torch.randn(32, 2) + 1)).mean()
    loss_d.backward()
    od.step()
    nn.utils.clip_grad_norm_(G.parameters(), 0.2)
    og.step()
print(f"critic {loss_d.item():.3f}, bias {G.bias.mean().item():.2f}")
