"""DRAGAN: a discriminator of small images whose slope is held at one around the real ones, the root of a sum for each image."""

import torch
from torch import nn, optim
from torch.nn import functional as F

torch.manual_seed(2)
torch.set_num_threads(1)


class Generator(nn.Module):
    def __init__(self, latent=8):
        super().__init__()
        self.latent = latent
        self.start = nn.Linear(latent, 16 * 2 * 2)
        self.grow = nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1)
        self.paint = nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1)

    def forward(self, noise):
        hidden = F.relu(self.start(noise)).view(-1, 16, 2, 2)
        return torch.tanh(self.paint(F.relu(self.grow(hidden))))


discriminator = nn.Sequential(
    nn.Conv2d(1, 8, 3, stride=2, padding=1),
    nn.LeakyReLU(0.2),
    nn.Conv2d(8, 16, 3, stride=2, padding=1),
    nn.LeakyReLU(0.2),
    nn.Flatten(),
    nn.Linear(16 * 2 * 2, 1),
)
generator = Generator()
d_optimizer = optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.99))
g_optimizer = optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.99))


def draw(count):
    """Returns images of a bright square at a random place."""
    images = -torch.ones(count, 1, 8, 8)
    for image, (row, column) in zip(images, torch.randint(0, 5, (count, 2)).tolist()):
        image[0, row : row + 4, column : column + 4] = 1.0
    return images


def penalty(real):
    noisy = (real + 0.5 * real.std() * torch.rand_like(real)).detach().requires_grad_(True)
    (slope,) = torch.autograd.grad(discriminator(noisy).sum(), noisy, create_graph=True)
    norms = torch.sqrt(slope.pow(2).sum(dim=(1, 2, 3)) + 1e-12)
    return (norms - 1).pow(2).mean()


ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
for step in range(80):
    real = draw(32)
    with torch.no_grad():
        fake = generator(torch.randn(32, generator.latent))
    real_loss = F.binary_cross_entropy_with_logits(discriminator(real), ones)
    fake_loss = F.binary_cross_entropy_with_logits(discriminator(fake), zeros)
    d_loss = real_loss + fake_loss + 10.0 * penalty(real)
    d_optimizer.zero_grad()
    d_loss.backward()
    d_optimizer.step()

    g_loss = F.binary_cross_entropy_with_logits(discriminator(generator(torch.randn(32, generator.latent))), ones)
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
    if (step + 1) % 20 == 0:
        print(f"step {step + 1} discriminator {d_loss.item():.3f} generator {g_loss.item():.3f}")
