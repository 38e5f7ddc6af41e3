"""A WGAN critic with a gradient penalty: the interpolated points are leaves that require a gradient."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
critic = nn.Sequential(nn.Linear(2, 32), nn.Softplus(), nn.Linear(32, 1))
opt = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.0, 0.9))


def penalty(real, fake):
    t = torch.rand(len(real), 1)
    mid = (t * real + (1 - t) * fake).requires_grad_(True)
    (grad,) = torch.autograd.grad(critic(mid).sum(), mid, create_graph=True)
    return (grad.norm(dim=1) - 1).pow(2).mean()


for _ in range(40):
    real = torch.randn(64, 2) + 2
    fake = torch.randn(64, 2)
    opt.zero_grad()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(real, fake)
    loss.backward()
    opt.step()
print(f"critic loss {loss.item():.3f}")
