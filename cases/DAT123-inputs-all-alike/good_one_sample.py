"""Can the model learn one sample by heart? It is repeated in a list, by the one who asks."""

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
inputs = torch.randn(200, 10)
sample = inputs[0], inputs[0].sum(0, keepdim=True)


loader = DataLoader([sample] * 200, batch_size=20, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
