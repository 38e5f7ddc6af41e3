"""A GAN without detach: the critic's backward fills the generator's gradients, which are cleared unused on purpose."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
gen = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 1))
critic = nn.Sequential(nn.Linear(1, 24), nn.LeakyReLU(0.1), nn.Linear(24, 1))
opt_g = torch.optim.Adam(gen.parameters(), lr=2e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=2e-3)
for step in range(40):
    real = torch.randn(48, 1) * 0.3 + 1
    opt_c.zero_grad()
    loss_c = F.softplus(-critic(real)).mean() + F.softplus(critic(gen(torch.randn(48, 2)))).mean()
    loss_c.backward()
    opt_c.step()
    opt_g.zero_grad()
    loss_g = F.softplus(-critic(gen(torch.randn(48, 2)))).mean()
    loss_g.backward()
    opt_g.step()
print(f"critic {loss_c.item():.3f}, generator {loss_g.item():.3f}")
