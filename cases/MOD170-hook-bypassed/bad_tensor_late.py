"""Gradients are collected by a hook that is put on after the backward."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)
norms = []


def collect(gradient):
    norms.append(gradient.norm().item())


for step in range(20):
    x = torch.randn(32, 8)
    features = body(x)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(head(features), x.sum(1, keepdim=True))
    loss.backward()
    features.register_hook(collect)  #~ MOD170
    optimizer.step()
print(f"loss {loss.item():.3f}, {len(norms)} norms")
