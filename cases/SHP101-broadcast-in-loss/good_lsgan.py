"""Least-squares GAN losses compare [N, 1] scores with plain numbers, and a centred score with its own mean."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
g, d = nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 1))
opt_g = torch.optim.Adam(g.parameters(), lr=5e-3)
opt_d = torch.optim.Adam(d.parameters(), lr=5e-3)
for _ in range(40):
    real = torch.randn(32, 2) * 0.5 + 1
    fake = g(torch.randn(32, 3))
    opt_d.zero_grad()
    d_loss = ((d(real) - 1) ** 2).mean() + (d(fake.detach()) ** 2).mean()
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    score = d(fake)
    spread = (score - score.mean(dim=0, keepdim=True)).pow(2).mean()
    g_loss = ((score - 1) ** 2).mean() + 0.01 * spread
    g_loss.backward()
    opt_g.step()
print(f"d {d_loss.item():.3f} g {g_loss.item():.3f}")
