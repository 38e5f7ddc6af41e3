"""Two groups with decays of their own, by lambdas in a comprehension, inside a function."""
import torch
from torch import nn


def make(model):
    optimizer = torch.optim.SGD([{"params": model[0].parameters()}, {"params": model[2].parameters()}], lr=0.05)
    decays = [0.9, 0.99]
    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, [lambda epoch: decay**epoch for decay in decays])  #~ OPT124


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
x = torch.randn(120, 8)
y = x.sum(1, keepdim=True)
optimizer, schedule = make(model)
for epoch in range(5):
    for rows in torch.randperm(120).split(24):
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    schedule.step()
print(f"loss {loss.item():.3f}")
