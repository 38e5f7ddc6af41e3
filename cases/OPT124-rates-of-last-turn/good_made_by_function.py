"""A function of its own makes each of them, and each has its own variable."""
import torch
from torch import nn


def decayed(decay):
    return lambda epoch: decay**epoch


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
x = torch.randn(120, 8)
y = x.sum(1, keepdim=True)
optimizer = torch.optim.SGD([{"params": model[0].parameters()}, {"params": model[2].parameters()}], lr=0.05)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, [decayed(decay) for decay in (0.9, 0.99)])
for epoch in range(5):
    for rows in torch.randperm(120).split(24):
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    schedule.step()
print(f"loss {loss.item():.3f}")
