"""One batch again and again at a rate of zero during warm-up: the loss stays the same, and depends on the model all the while."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step // 10 / 5))
x = torch.randn(32, 8)
y = x.sum(1, keepdim=True)
for _ in range(60):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
    warmup.step()
