"""A flow from noise to data: the model tells the way from the one to the other, and of the noise only where it is small."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
time = torch.linspace(0, 6.28, 32)
beats = torch.sin(time + torch.rand(256, 1) * 6.28) + 0.5 * torch.sin(3 * time)
model = nn.Sequential(nn.Linear(33, 64), nn.SiLU(), nn.Linear(64, 32))
refiner = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 32))
optimizer = torch.optim.Adam([*model.parameters(), *refiner.parameters()], lr=2e-3)
for step in range(30):
    clean = beats[torch.randint(256, (64,))]
    noise = torch.randn_like(clean)
    when = torch.rand(64, 1)
    between = (1 - when) * noise + when * clean
    way = F.mse_loss(model(torch.cat([between, when], dim=1)), clean - noise)
    optimizer.zero_grad()
    way.backward()
    faint = clean + 0.05 * noise
    rest = F.mse_loss(refiner(faint), noise)
    rest.backward()
    optimizer.step()
print(f"loss {way.item():.3f} {rest.item():.3f}")
