"""An encoder whose features are to tell nothing of a domain: a critic minimises the loss that the encoder climbs."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
encoder, critic = nn.Linear(6, 8), nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
by_encoder = torch.optim.Adam(encoder.parameters(), lr=1e-3)
by_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(40):
    batch = torch.randint(0, 256, (32,))
    by_critic.zero_grad()
    loss = nn.functional.cross_entropy(critic(encoder(x[batch]).detach()), y[batch])
    loss.backward()
    by_critic.step()
    critic.requires_grad_(False)
    by_encoder.zero_grad()
    (-nn.functional.cross_entropy(critic(encoder(x[batch])), y[batch])).backward()
    by_encoder.step()
    critic.requires_grad_(True)
print(f"loss {loss.item():.3f}")
