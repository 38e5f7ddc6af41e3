"""Codes drawn with the spread that their divergence is of: from a variance, its root, a spread's logarithm, or a distribution."""

import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

torch.manual_seed(0)
torch.set_num_threads(1)
points = torch.randn(256, 6)


def half(mean, logs):
    drawn = mean + torch.exp(0.5 * logs) * torch.randn_like(mean)
    return drawn, -0.5 * (1 + logs - mean.square() - logs.exp()).sum(1).mean()


def root(mean, logs):
    variance = logs.exp()
    drawn = mean + variance.sqrt() * torch.randn(mean.shape)
    return drawn, 0.5 * (variance + mean**2 - 1 - logs).sum(1).mean()


def of_spread(mean, logs):
    drawn = torch.randn_like(mean) * logs.exp() + mean
    return drawn, -0.5 * (1 + 2 * logs - mean.pow(2) - (2 * logs).exp()).sum(1).mean()


def squared(mean, logs):
    spread = logs.exp()
    return mean + spread * torch.randn_like(spread), (0.5 * (spread**2 + mean**2) - logs - 0.5).sum(1).mean()


def of_distribution(mean, logs):
    posterior = Normal(mean, logs.exp())
    return posterior.rsample(), kl_divergence(posterior, Normal(torch.zeros_like(mean), torch.ones_like(mean))).sum(1).mean()


for draw in (half, root, of_spread, squared, of_distribution):
    means, logarithms, back = nn.Linear(6, 3), nn.Linear(6, 3), nn.Linear(3, 6)
    optimizer = torch.optim.Adam([*means.parameters(), *logarithms.parameters(), *back.parameters()], lr=5e-3)
    for step in range(12):
        batch = points[torch.randint(0, 256, (32,))]
        code, divergence = draw(means(batch), logarithms(batch))
        loss = (back(code) - batch).square().sum(1).mean() + divergence
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
