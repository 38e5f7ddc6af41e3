"""A small GAN: the generator's loss also sends gradient to the critic, whose optimizer does not step then."""
import torch
from torch import nn
import torch.nn.functional as F


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    gen = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    disc = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    opt_g = torch.optim.Adam(gen.parameters(), lr=2e-3, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(disc.parameters(), lr=2e-3, betas=(0.5, 0.999))
    real, fake = torch.ones(32, 1), torch.zeros(32, 1)
    for _ in range(30):
        data = torch.randn(32, 2) * 0.3 + 2
        opt_d.zero_grad()
        sample = gen(torch.randn(32, 4)).detach()
        d_loss = F.binary_cross_entropy_with_logits(disc(data), real)
        d_loss = d_loss + F.binary_cross_entropy_with_logits(disc(sample), fake)
        d_loss.backward()
        opt_d.step()
        opt_g.zero_grad()
        g_loss = F.binary_cross_entropy_with_logits(disc(gen(torch.randn(32, 4))), real)
        g_loss.backward()
        opt_g.step()
    print(f"d {d_loss.item():.3f} g {g_loss.item():.3f}")


main()
