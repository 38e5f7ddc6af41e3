"""Saliency of the input by `autograd.grad`, with a hook that fires there alone."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
seen = []
for step in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
    if step % 5 == 0:
        probe = x.clone().requires_grad_()
        probe.register_hook(lambda gradient: seen.append(gradient.abs().mean().item()))
        torch.autograd.grad(model(probe).sum(), probe)
print(f"loss {loss.item():.3f}, saliency {seen[-1]:.3f}")
