"""A squared error is the same either way round."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(256, 8)
y = (x.sum(1, keepdim=True) > 0).float()
for step in range(30):
    chosen = torch.randint(256, (32,))
    output = model(x[chosen])
    loss = F.mse_loss(y[chosen], output)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
