"""WGAN weight clipping after the step changes weights, not gradients, and belongs there."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
gen = nn.Linear(2, 1)
critic = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
opt_g = torch.optim.RMSprop(gen.parameters(), lr=5e-3)
opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-3)
for step in range(60):
    real = torch.randn(64, 1) * 0.5 + 1
    opt_c.zero_grad()
    gap = critic(gen(torch.randn(64, 2)).detach()).mean() - critic(real).mean()
    gap.backward()
    opt_c.step()
    with torch.no_grad():
        for w in critic.parameters():
            w.clamp_(-0.5, 0.5)
    if step % 3 == 2:
        opt_g.zero_grad()
        (-critic(gen(torch.randn(64, 2))).mean()).backward()
        opt_g.step()
print(f"gap {gap.item():.3f}, generated mean {gen.bias.item():.2f}")
