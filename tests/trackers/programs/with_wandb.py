"""A regression whose loss broadcasts, logged to W&B; with `OPEN` its run is left to be closed by W&B itself at the end."""

import os

import torch
import wandb
from torch import nn

run = wandb.init(project="trained", config={"lr": 0.01})
torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(12):
    x, y = torch.randn(16, 8), torch.randn(16)
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    wandb.log({"loss": loss.item()})
print(f"{loss.item():.6f}", run.step)
if "OPEN" not in os.environ:
    run.finish()
