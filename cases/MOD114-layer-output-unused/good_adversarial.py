"""A generator and a critic: each has its own loss, and what one step leaves unread the other needs."""

import torch
from torch import nn


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.make = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.judge = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def forward(self, noise, real):
        fake = self.make(noise)
        on_fake, on_real = self.judge(fake), self.judge(real)
        apart = self.judge(fake.detach())
        return fake, on_fake, on_real, apart


torch.manual_seed(0)
torch.set_num_threads(1)
pair = Pair()
makes = torch.optim.Adam(pair.make.parameters(), lr=1e-3)
judges = torch.optim.Adam(pair.judge.parameters(), lr=1e-3)
for step in range(40):
    real = torch.randn(32, 2) + 1
    _, _, on_real, apart = pair(torch.randn(32, 4), real)
    judges.zero_grad()
    (nn.functional.softplus(-on_real).mean() + nn.functional.softplus(apart).mean()).backward()
    judges.step()
    fake, on_fake, *_ = pair(torch.randn(32, 4), real)
    makes.zero_grad()
    nn.functional.softplus(-on_fake).mean().backward()
    makes.step()
print(f"mean {fake.mean().item():.3f}")
