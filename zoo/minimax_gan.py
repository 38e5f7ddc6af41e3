"""The first GAN, on points of a ring: both losses written out as in the paper, with a guard in each logarithm."""

import argparse
import math

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=150)
args = parser.parse_args()

torch.manual_seed(7)
torch.set_num_threads(1)
eps = 1e-8


def ring(count):
    angle = 2 * math.pi * torch.randint(0, 8, (count,)) / 8
    return torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(count, 2)


generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1), nn.Sigmoid())
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))

for step in range(args.steps):
    real = ring(64)
    fake = generator(torch.randn(64, 4))
    d_loss = -(torch.log(discriminator(real) + eps) + torch.log(1 - discriminator(fake.detach()) + eps)).mean()
    d_optimizer.zero_grad()
    d_loss.backward()
    d_optimizer.step()

    g_loss = -torch.log(discriminator(fake) + eps).mean()  # the loss that does not saturate
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
    if step % 50 == 0:
        print(f"step {step:3d}  discriminator {d_loss.item():.3f}  generator {g_loss.item():.3f}")

with torch.no_grad():
    radius = generator(torch.randn(256, 4)).norm(dim=1)
print(f"radius {radius.mean().item():.2f} (1 is right)")
