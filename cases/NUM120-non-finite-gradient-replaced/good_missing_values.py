"""Missing values of the data are filled in, with a mask that tells the model; clipping is by value."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
whole = torch.randn(64, 8)
y = whole.sum(1, keepdim=True)
x = whole.where(torch.rand(64, 8) > 0.2, torch.nan)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(20):
    filled = torch.cat([torch.nan_to_num(x), torch.isnan(x).float()], dim=1)
    loss = nn.functional.mse_loss(model(filled), y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), 1.0)
    optimizer.step()
print(f"loss {loss.item():.3f}")
