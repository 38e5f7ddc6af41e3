"""Wind and power: plain SGD remembers nothing, so it may be made in each epoch."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
wind = torch.randn(400, 5)
power = (wind[:, :1] ** 2).clamp(max=2) + 0.1 * torch.randn(400, 1)
loader = DataLoader(TensorDataset(wind, power), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 1))
for epoch in range(8):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
