"""An adversarial autoencoder: the encoder is in two optimizers, but each steps after a backward of its own."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
enc, dec = nn.Linear(6, 2), nn.Linear(2, 6)
disc = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 1))
opt_rec = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=5e-3)
opt_adv = torch.optim.Adam(enc.parameters(), lr=1e-3)
opt_disc = torch.optim.Adam(disc.parameters(), lr=5e-3)
mix = torch.randn(2, 6)
for _ in range(40):
    x = torch.randn(48, 2) @ mix
    opt_rec.zero_grad()
    rec = F.mse_loss(dec(enc(x)), x)
    rec.backward()
    opt_rec.step()
    opt_disc.zero_grad()
    d = F.softplus(-disc(torch.randn(48, 2))).mean() + F.softplus(disc(enc(x).detach())).mean()
    d.backward()
    opt_disc.step()
    opt_adv.zero_grad()
    F.softplus(-disc(enc(x))).mean().backward()
    opt_adv.step()
print(f"reconstruction {rec.item():.3f}, critic {d.item():.3f}")
