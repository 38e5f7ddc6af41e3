"""Train a small denoising diffusion model on points of a ring, keep a moving average, and sample from it."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

STEPS = 50


class Diffusion:
    """The fixed forward process and the ancestral sampler of DDPM."""

    def __init__(self, steps):
        self.steps = steps
        self.betas = torch.linspace(1e-3, 0.2, steps)
        self.alphas = 1 - self.betas
        self.alphas_bar = self.alphas.cumprod(dim=0)

    def add_noise(self, x0, noise, t):
        signal = self.alphas_bar[t].sqrt().unsqueeze(1)
        sigma = (1 - self.alphas_bar[t]).sqrt().unsqueeze(1)
        return signal * x0 + sigma * noise

    @torch.no_grad()
    def sample(self, model, count):
        model.eval()
        x = torch.randn(count, 2)
        for step in reversed(range(self.steps)):
            t = torch.full((count,), step)
            predicted = model(x, t)
            x = (x - self.betas[step] / (1 - self.alphas_bar[step]).sqrt() * predicted) / self.alphas[step].sqrt()
            if step > 0:
                x = x + self.betas[step].sqrt() * torch.randn_like(x)
        return x


class Denoiser(nn.Module):
    def __init__(self, width=128, time_features=16):
        super().__init__()
        frequencies = torch.exp(-math.log(100.0) * torch.arange(time_features // 2) / (time_features // 2))
        self.register_buffer("frequencies", frequencies)
        self.time_mlp = nn.Sequential(nn.Linear(time_features, width), nn.SiLU())
        self.input = nn.Linear(2, width)
        self.hidden = nn.Sequential(nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.output = nn.Linear(width, 2)

    def forward(self, x, t):
        angles = t.unsqueeze(1) * self.frequencies
        time = self.time_mlp(torch.cat([angles.sin(), angles.cos()], dim=1))
        return self.output(self.hidden(self.input(x) + time))


def ring(count):
    angle = 2 * math.pi * torch.rand(count)
    radius = 1.4 + 0.05 * torch.randn(count)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)


def radius_error(points):
    return (points.norm(dim=1) - 1.4).abs().mean().item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    data = ring(2048)
    diffusion, model = Diffusion(STEPS), Denoiser()
    ema_model = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.98))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=16)
    print(f"radius error before training {radius_error(diffusion.sample(model, 256)):.3f}")

    for epoch in range(16):
        model.train()
        total = 0.0
        for x0 in data[torch.randperm(len(data))].split(64):
            noise = torch.randn_like(x0)
            t = torch.randint(0, STEPS, (len(x0),))
            loss = F.mse_loss(model(diffusion.add_noise(x0, noise, t), t), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            ema_model.update_parameters(model)
            total += loss.item() * len(x0)
        scheduler.step()
        if epoch % 5 == 0:
            print(f"epoch {epoch + 1}: loss {total / len(data):.4f}")
    print(f"radius error after training {radius_error(diffusion.sample(ema_model, 256)):.3f}")


if __name__ == "__main__":
    main()
