"""The discriminator uses the scaler and the generator does not; only the generator is clipped."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
G = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
opt_g, opt_d = torch.optim.Adam(G.parameters(), 2e-3), torch.optim.Adam(D.parameters(), 2e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=128.0)
for _ in range(40):
    fake = G(torch.randn(32, 3))
    opt_d.zero_grad()
    loss_d = F.softplus(-D(torch.randn(32, 2) - 1)).mean() + F.softplus(D(fake.detach())).mean()
    scaler.scale(loss_d).backward()
    scaler.step(opt_d)
    scaler.update()
    opt_g.zero_grad()
    loss_g = F.softplus(-D(fake)).mean()
    loss_g.backward()
    nn.utils.clip_grad_norm_(G.parameters(), 1.0)
    opt_g.step()
print(f"d {loss_d.item():.3f} g {loss_g.item():.3f}")
