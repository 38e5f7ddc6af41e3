"""A curve is drawn far beyond the data that it was fitted to."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.rand(512, 1) * 2 - 1
y = torch.sin(3 * x)
model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(60):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
with torch.no_grad():
    curve = model(torch.linspace(-30, 30, 512)[:, None])
print(f"loss {loss.item():.4f}, ends at {curve[-1].item():.3f}")
