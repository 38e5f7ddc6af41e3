"""A Wasserstein critic of short signals, whose gradient penalty takes the norm of each signal."""
import torch
from torch import nn


def penalty(critic, real, fake):
    share = torch.rand(len(real), 1, 1)
    between = (share * real + (1 - share) * fake).requires_grad_(True)
    (gradient,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    length = gradient.flatten(1).norm(2, dim=1)
    return ((length - 1) ** 2).mean()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    critic = nn.Sequential(nn.Conv1d(1, 8, 5), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(8 * 12, 1))
    generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 16), nn.Unflatten(1, (1, 16)))
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
    generator_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
    time = torch.linspace(0, 6, 16)
    for step in range(24):
        real = torch.sin(time + 6 * torch.rand(32, 1)).unsqueeze(1)
        fake = generator(torch.randn(32, 4)).detach()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
        critic_optimizer.zero_grad()
        loss.backward()
        critic_optimizer.step()
        if step % 4 == 3:
            score = -critic(generator(torch.randn(32, 4))).mean()
            generator_optimizer.zero_grad()
            score.backward()
            generator_optimizer.step()
    print(f"critic {loss.item():.3f}")


main()
