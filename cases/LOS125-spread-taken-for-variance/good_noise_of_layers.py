"""Noise of a learned strength in each layer, and a Gaussian likelihood with its own variance: neither is a divergence of what is drawn."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(5, 16), nn.Linear(16, 2)
        self.strength = nn.Linear(5, 16)

    def forward(self, x):
        strength = self.strength(x)
        hidden = torch.relu(self.first(x) + strength * torch.randn_like(strength))
        return self.second(hidden).chunk(2, 1)


data = torch.randn(256, 5)
wanted = data[:, :1] + 0.2 * torch.randn(256, 1)
model = Noisy()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(40):
    rows = torch.randint(0, 256, (32,))
    mean, logs = model(data[rows])
    loss = 0.5 * (logs + (wanted[rows] - mean).square() * torch.exp(-logs)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
