"""The model is given a signal and a coarser one beside it, in which there is no noise; it is to tell the noise of the former."""

import torch
import torch.nn.functional as F
from torch import nn


class Sharpener(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(65, 64), nn.SiLU(), nn.Linear(64, 32))

    def forward(self, coarse, signal, level):
        return self.body(torch.cat([coarse, signal, level], dim=1))


torch.manual_seed(0)
torch.set_num_threads(1)
time = torch.linspace(0, 6.28, 32)
beats = torch.sin(time + torch.rand(256, 1) * 6.28) + 0.5 * torch.sin(9 * time)
model = Sharpener()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(30):
    clean = beats[torch.randint(256, (64,))]
    coarse = clean[:, ::4].repeat_interleave(4, dim=1)
    level = torch.rand(64, 1)
    noise = torch.randn(64, 32)
    signal = (1 - level).sqrt() * clean + level.sqrt() * noise
    loss = F.mse_loss(model(coarse, signal, level=level) if step % 2 else model(coarse, signal, level), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
