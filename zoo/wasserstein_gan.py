"""WGAN with gradient penalty on eight Gaussians: several critic steps to one of the generator, the norm of each sample held at one."""

import math

import torch
import torch.nn as nn


def sample_real(count):
    angle = torch.randint(0, 8, (count,)) * (2 * math.pi / 8)
    return 1.5 * torch.stack([angle.cos(), angle.sin()], dim=1) + 0.08 * torch.randn(count, 2)


def mlp(inputs, outputs, width=48):
    return nn.Sequential(
        nn.Linear(inputs, width), nn.LeakyReLU(0.2), nn.Linear(width, width), nn.LeakyReLU(0.2), nn.Linear(width, outputs)
    )


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    scores = critic(mixed)
    gradients = torch.autograd.grad(
        outputs=scores, inputs=mixed, grad_outputs=torch.ones_like(scores), create_graph=True, retain_graph=True
    )[0]
    gradients = gradients.view(gradients.size(0), -1)
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator, critic = mlp(6, 2), mlp(2, 1)
    generator_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
    for step in range(90):
        for _ in range(3):
            real = sample_real(64)
            fake = generator(torch.randn(64, 6)).detach()
            distance = critic(real).mean() - critic(fake).mean()
            critic_loss = -distance + gradient_penalty(critic, real, fake)
            critic_optimizer.zero_grad()
            critic_loss.backward()
            critic_optimizer.step()
        generator_loss = -critic(generator(torch.randn(64, 6))).mean()
        generator_optimizer.zero_grad()
        generator_loss.backward()
        generator_optimizer.step()
        if (step + 1) % 30 == 0:
            print(f"step {step + 1} distance {distance.item():.3f} generator {generator_loss.item():.3f}")


if __name__ == "__main__":
    main()
