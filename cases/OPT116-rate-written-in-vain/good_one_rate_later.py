"""The head goes ahead for a while with a rate of its own, then one falling rate is set for all groups."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, head = nn.Linear(8, 16), nn.Linear(16, 1)
optimizer = torch.optim.SGD([{"params": body.parameters(), "lr": 0.0}, {"params": head.parameters(), "lr": 0.05}])
for step in range(60):
    if step >= 20:
        for group in optimizer.param_groups:
            group["lr"] = 0.05 * 0.95 ** (step - 20)
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.mse_loss(head(torch.relu(body(x))), x.sum(1, keepdim=True)).backward()
    optimizer.step()
