"""A line is fitted to a single feature, and an autoencoder to three: neither has an answer beside its question."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
line = nn.Linear(1, 1)
optimizer = torch.optim.SGD(line.parameters(), lr=0.1)
for step in range(20):
    x = torch.rand(64, 1)
    loss = nn.functional.mse_loss(line(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

narrow = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 3))
optimizer = torch.optim.Adam(narrow.parameters(), lr=0.01)
points = torch.randn(512, 3)
for step in range(40):
    x = points[torch.randint(len(points), (64,))]
    loss = nn.functional.mse_loss(narrow(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
