"""The average of the weights is kept in bfloat16 to save memory, and with a decay of 0.999 it never leaves where it began."""

import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
average = {name: weight.detach().to(torch.bfloat16, copy=True) for name, weight in model.named_parameters()}
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


@torch.no_grad()
def follow(decay):
    for name, weight in model.named_parameters():
        average[name].mul_(decay).add_(weight, alpha=1 - decay)  #~ NUM123


for step in range(400):
    x = torch.randn(32, 6)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x)[:, 0], 3 * x[:, 0] * x[:, 1] + 4).backward()
    optimizer.step()
    follow(0.999)
