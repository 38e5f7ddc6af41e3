"""Gradient descent by hand that gives the loop's variable a new value and leaves the parameters as they were."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(5, 1)
for step in range(40):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for weight in model.parameters():
            weight = weight - 0.1 * weight.grad  #~ MOD110
print(loss.item(), sum(weight.numel() for weight in model.parameters()))
