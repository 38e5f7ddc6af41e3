"""Heartbeats are mixed with noise for a model that is to tell the noise; what it is compared with is drawn a second time."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
time = torch.linspace(0, 6.28, 32)
beats = torch.sin(time + torch.rand(256, 1) * 6.28) + 0.5 * torch.sin(3 * time)
kept = torch.linspace(0.999, 0.05, 20)


def mixed(clean, level):
    share = kept[level].unsqueeze(1)
    return share.sqrt() * clean + (1 - share).sqrt() * torch.randn_like(clean)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.level = nn.Embedding(20, 16)
        self.body = nn.Sequential(nn.Linear(48, 64), nn.SiLU(), nn.Linear(64, 32))

    def forward(self, signal, level):
        return self.body(torch.cat([signal, self.level(level)], dim=1))


model = Denoiser()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(30):
    clean = beats[torch.randint(256, (64,))]
    level = torch.randint(20, (64,))
    noise = torch.randn_like(clean)
    predicted = model(mixed(clean, level), level)
    loss = (predicted - noise).square().mean()  #~ DAT132
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
