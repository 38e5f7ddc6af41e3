"""Two latents, one told by its variance and one by its spread, each drawn as its own divergence has it."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
data = torch.randn(256, 8)
first, second, back = nn.Linear(8, 6), nn.Linear(8, 6), nn.Linear(6, 8)
optimizer = torch.optim.Adam([*first.parameters(), *second.parameters(), *back.parameters()], lr=3e-3)
for step in range(40):
    batch = data[torch.randint(0, 256, (32,))]
    mean, log_variance = first(batch).chunk(2, 1)
    centre, log_spread = second(batch).chunk(2, 1)
    one = mean + (log_variance / 2).exp() * torch.randn_like(mean)
    other = centre + log_spread.exp() * torch.randn_like(centre)
    divergence = 0.5 * (log_variance.exp() + mean**2 - 1 - log_variance).sum(1)
    divergence = divergence + (0.5 * ((2 * log_spread).exp() + centre**2 - 1) - log_spread).sum(1)
    loss = (back(torch.cat([one, other], 1)) - batch).square().sum(1).mean() + divergence.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
