"""The network gives the logarithm of the spread, as its divergence says, and noise is multiplied by the root of that spread."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
points = torch.randn(256, 2) * torch.tensor([2.0, 0.5])
encode, log_spread, decode = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)
optimizer = torch.optim.Adam([*encode.parameters(), *log_spread.parameters(), *decode.parameters()], lr=5e-3)
for step in range(40):
    batch = points[torch.randint(0, 256, (32,))]
    mean, logs = encode(batch), log_spread(batch)
    code = mean + torch.exp(0.5 * logs) * torch.randn_like(mean)  #~ LOS125
    divergence = -0.5 * (1 + 2 * logs - mean.square() - torch.exp(2 * logs)).sum(1).mean()
    loss = (decode(code) - batch).square().sum(1).mean() + divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
