"""The generator runs with gradients off, in train mode, for the discriminator's step, and is trained in its own."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
G = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_opt, d_opt = torch.optim.Adam(G.parameters(), lr=0.002), torch.optim.Adam(D.parameters(), lr=0.002)
for step in range(60):
    real = torch.randn(32, 2) * 0.5 + 1
    with torch.no_grad():
        fake = G(torch.randn(32, 4))
    loss = F.softplus(-D(real)).mean() + F.softplus(D(fake)).mean()
    d_opt.zero_grad()
    loss.backward()
    d_opt.step()
    if step % 2:
        g_loss = F.softplus(-D(G(torch.randn(32, 4)))).mean()
        g_opt.zero_grad()
        g_loss.backward()
        g_opt.step()
print(f"loss {loss.item():.3f}")
