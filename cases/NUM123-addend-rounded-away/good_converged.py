"""An average in bfloat16 of weights that are frozen: it has arrived, and what is added takes it nowhere."""

import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
body, head = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.Linear(16, 1)
body.requires_grad_(False)
average = [weight.detach().to(torch.bfloat16, copy=True) for weight in body.parameters()]
optimizer = torch.optim.Adam(head.parameters(), lr=3e-3)
for step in range(400):
    x = torch.randn(32, 6)
    optimizer.zero_grad()
    nn.functional.mse_loss(head(body(x))[:, 0], x[:, 0]).backward()
    optimizer.step()
    with torch.no_grad():
        for slow, weight in zip(average, body.parameters(), strict=True):
            slow.mul_(0.999).add_(weight, alpha=1e-3)
