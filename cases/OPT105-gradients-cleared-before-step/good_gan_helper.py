"""A GAN whose two updates go through one helper: what the generator's pass leaves in the discriminator is cleared by right."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
for_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
for_discriminator = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
criterion = nn.BCEWithLogitsLoss()
real, made = torch.ones(64, 1), torch.zeros(64, 1)


def update(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


for step in range(40):
    fake = generator(torch.randn(64, 4))
    first = update(for_generator, criterion(discriminator(fake), real))
    second = update(
        for_discriminator,
        criterion(discriminator(torch.randn(64, 2) + 2), real) + criterion(discriminator(fake.detach()), made),
    )
print(first, second)
