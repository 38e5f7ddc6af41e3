"""What is rounded away is kept beside the average and added with the next move."""

import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
average = [weight.detach().to(torch.bfloat16, copy=True) for weight in model.parameters()]
left = [torch.zeros_like(weight) for weight in model.parameters()]
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(400):
    x = torch.randn(32, 6)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x)[:, 0], 3 * x[:, 0] * x[:, 1] + 4).backward()
    optimizer.step()
    with torch.no_grad():
        for slow, weight, rest in zip(average, model.parameters(), left, strict=True):
            rest += 0.001 * (weight - slow.float() - rest)
            moved = slow.float() + rest
            slow.add_(rest)
            rest.copy_(moved - slow.float())
