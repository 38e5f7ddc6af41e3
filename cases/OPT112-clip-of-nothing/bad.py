"""The generator of parameters that the optimizer was built from is used up when gradients are clipped with it."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.LSTM(4, 16, batch_first=True)
head = nn.Linear(16, 1)
parameters = (p for module in (model, head) for p in module.parameters())
optimizer = torch.optim.SGD(parameters, lr=0.05)
for _ in range(20):
    x = torch.randn(32, 12, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(head(model(x)[0][:, -1]), x.sum((1, 2)).unsqueeze(1)).backward()
    nn.utils.clip_grad_norm_(parameters, 0.5)  #~ OPT112
    optimizer.step()
