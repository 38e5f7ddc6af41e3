"""A latent of short melodies is drawn with the logarithm of the variance for its spread; both come out of one layer."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
reader = nn.GRU(5, 16, batch_first=True)
to_latent = nn.Linear(16, 6)
writer = nn.Linear(3, 40)
optimizer = torch.optim.Adam([*reader.parameters(), *to_latent.parameters(), *writer.parameters()], lr=2e-3)
melodies = torch.randn(256, 8, 5).cumsum(1)


def latent(melody):
    mean, spread = to_latent(reader(melody)[1][0]).chunk(2, dim=-1)
    noise = torch.randn(mean.shape)
    return mean + noise * spread, mean, spread  #~ LOS125


for step in range(40):
    batch = melodies[torch.randint(0, 256, (32,))]
    drawn, mean, spread = latent(batch)
    error = nn.functional.mse_loss(writer(drawn), batch.flatten(1))
    divergence = 0.5 * torch.mean(torch.exp(spread) + mean**2 - 1.0 - spread)
    loss = error + 0.1 * divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
