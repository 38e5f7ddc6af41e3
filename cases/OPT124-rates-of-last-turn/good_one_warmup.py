"""One lambda for each group, made in a loop, all of the same warm-up: what they read is not the loop's."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
x = torch.randn(120, 8)
y = x.sum(1, keepdim=True)
warmup = 6
groups, functions = [], []
for rate, layer in ((0.05, model[0]), (0.02, model[2])):
    groups.append({"params": layer.parameters(), "lr": rate})
    functions.append(lambda step: min(1.0, (step + 1) / warmup))
optimizer = torch.optim.SGD(groups)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, functions)
for epoch in range(5):
    for rows in torch.randperm(120).split(24):
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
print(f"loss {loss.item():.3f}")
