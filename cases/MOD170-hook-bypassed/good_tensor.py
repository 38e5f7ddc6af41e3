"""The gradient at the features is clamped by a hook on them."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)
for step in range(20):
    x = torch.randn(32, 8)
    features = body(x)
    features.register_hook(lambda gradient: gradient.clamp(-1, 1))
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(head(features), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
