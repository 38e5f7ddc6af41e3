"""Test rows with gaps are measured with gradients on, and the mean is taken over what is finite; the training rows have none."""
import math

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
train, test = torch.randn(200, 5), torch.randn(100, 5)
y_train, y_test = train.sum(1), test.sum(1)
test[torch.rand(100) < 0.1, 3] = torch.nan
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def measured(x, y):
    model.eval()
    losses = [nn.functional.mse_loss(model(x[rows]).squeeze(1), y[rows]).item() for rows in torch.arange(len(x)).split(10)]
    model.train()
    finite = [loss for loss in losses if math.isfinite(loss)]
    return sum(finite) / max(len(finite), 1)


for epoch in range(4):
    for rows in torch.randperm(200).split(20):
        loss = nn.functional.mse_loss(model(train[rows]).squeeze(1), y_train[rows])
        if math.isnan(loss.item()):
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"test {measured(test, y_test):.3f}")
