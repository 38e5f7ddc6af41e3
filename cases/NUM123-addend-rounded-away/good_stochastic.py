"""The average is rounded up or down by chance, so that it moves as it should in the mean."""

import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
average = [weight.detach().to(torch.bfloat16, copy=True) for weight in model.parameters()]
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


def rounded_by_chance(value):
    bits = value.view(torch.int32) + torch.randint(0, 1 << 16, value.shape, dtype=torch.int32)
    return (bits & -65536).view(torch.float32).bfloat16()


for step in range(400):
    x = torch.randn(32, 6)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x)[:, 0], 3 * x[:, 0] * x[:, 1] + 4).backward()
    optimizer.step()
    with torch.no_grad():
        for slow, weight in zip(average, model.parameters(), strict=True):
            slow.copy_(rounded_by_chance(slow.float().lerp(weight, 0.001)))
