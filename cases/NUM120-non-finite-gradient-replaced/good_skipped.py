"""A batch whose gradient is not finite is left out, by gradients of zero."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for step in range(24):
    x = torch.randn(64, 8)
    y = x.sum(1, keepdim=True) / (step % 3)
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if not torch.isfinite(norm):
        for parameter in model.parameters():
            parameter.grad.zero_()
    optimizer.step()
print(f"loss {loss.item():.3f}")
