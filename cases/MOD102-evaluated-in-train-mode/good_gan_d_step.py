"""The critic's step runs the generator in train mode under no_grad, which is the usual GAN step."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
gen = nn.Sequential(nn.Linear(3, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 2))
critic = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2), nn.Dropout(0.1), nn.Linear(24, 1))
opt_g = torch.optim.Adam(gen.parameters(), lr=1e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(40):
    real = torch.randn(32, 2) * 0.5 - 1
    with torch.no_grad():
        fake = gen(torch.randn(32, 3))
    opt_c.zero_grad()
    loss_c = F.softplus(critic(fake)).mean() + F.softplus(-critic(real)).mean()
    loss_c.backward()
    opt_c.step()
    if step % 2:
        opt_g.zero_grad()
        loss_g = F.softplus(-critic(gen(torch.randn(32, 3)))).mean()
        loss_g.backward()
        opt_g.step()
print(f"critic {loss_c.item():.3f}, generator {loss_g.item():.3f}")
