"""A frozen network and a trained one are clipped by one function, whichever is there; the frozen one never has a gradient."""

import torch
from torch import nn


def clip_all(*modules):
    for module in modules:
        torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)


torch.manual_seed(0)
torch.set_num_threads(1)
body, head = nn.Linear(6, 12).requires_grad_(False), nn.Linear(12, 1)
optimizer = torch.optim.Adam(head.parameters(), lr=0.01)
for _ in range(30):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(head(torch.tanh(body(x))), x.mean(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    clip_all(body, head)
    optimizer.step()
