"""Tides: a function chooses the windows of each batch, by a generator that it makes each time."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
hours = torch.arange(3000) * 0.4
tides = torch.sin(hours) + 0.3 * torch.sin(2.1 * hours) + 0.05 * torch.randn(3000)
SEED = 11


def windows(number=32):
    chooser = torch.Generator().manual_seed(SEED)  #~ RNG102
    starts = torch.randint(0, 2400, (number,), generator=chooser)
    parts = torch.stack([tides[start : start + 25] for start in starts.tolist()])
    return parts[:, :24], parts[:, 24:]


model = nn.Sequential(nn.Linear(24, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(120):
    past, following = windows()
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(past), following)
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
