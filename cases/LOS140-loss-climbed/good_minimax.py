"""The minimax game of the first GAN: the generator climbs a part of the loss that a critic of two terms minimises."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
bce = nn.functional.binary_cross_entropy_with_logits
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
by_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
by_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
for step in range(30):
    real = torch.randn(32, 2) * 0.5 + 1
    fake = generator(torch.randn(32, 4))
    by_critic.zero_grad()
    loss = bce(critic(real), ones) + bce(critic(fake.detach()), zeros)
    loss.backward()
    by_critic.step()
    critic.requires_grad_(False)
    by_generator.zero_grad()
    (-bce(critic(generator(torch.randn(32, 4))), zeros)).backward()
    by_generator.step()
    critic.requires_grad_(True)
print(f"loss of the critic {loss.item():.3f}")
