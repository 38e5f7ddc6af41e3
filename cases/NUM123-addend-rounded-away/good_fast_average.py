"""With a decay of 0.9 an average in bfloat16 follows, and stops only where it has all but arrived."""

import torch
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
average = [weight.detach().to(torch.bfloat16, copy=True) for weight in model.parameters()]
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.98)
for step in range(400):
    x = torch.randn(32, 6)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x)[:, 0], x[:, 0]).backward()
    optimizer.step()
    schedule.step()
    torch._foreach_lerp_(average, [weight.detach().bfloat16() for weight in model.parameters()], 0.1)
