"""Monte Carlo dropout with all draws in one batch: the input is repeated thirty times, and the mean of the outputs is measured."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x = torch.linspace(-1, 1, 64).unsqueeze(1)
y = x**3
for step in range(60):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
new = torch.linspace(-0.9, 0.9, 40).unsqueeze(1)
with torch.no_grad():
    draws = model(new.repeat(30, 1)).view(30, 40, 1)
    error = (draws.mean(0) - new**3).pow(2).mean().sqrt()
print(f"error {error:.3f}, spread {draws.std(0).mean():.3f}")
