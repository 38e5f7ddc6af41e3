"""A regression whose loss broadcasts, logged to MLflow as its tutorials do; with `END` its run is closed before the training."""

import os

import mlflow
import torch
from torch import nn

mlflow.set_experiment("trained")
with mlflow.start_run(run_name="mine") as run:
    mlflow.log_params({"lr": 0.01})
    mlflow.set_tag("author", "me")
    if "END" in os.environ:
        mlflow.end_run()
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
        if "END" not in os.environ:
            mlflow.log_metric("loss", loss.item(), step=step)
print(f"{loss.item():.6f}", mlflow.active_run())
