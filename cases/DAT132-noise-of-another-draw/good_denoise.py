"""A signal with noise goes in, the clean one is asked for."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
time = torch.linspace(0, 6.28, 32)
beats = torch.sin(time + torch.rand(256, 1) * 6.28) + 0.5 * torch.sin(3 * time)
model = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 32))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(30):
    clean = beats[torch.randint(256, (64,))]
    noise = torch.randn_like(clean)
    noisy = clean + 0.3 * noise
    loss = F.mse_loss(model(noisy), clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
