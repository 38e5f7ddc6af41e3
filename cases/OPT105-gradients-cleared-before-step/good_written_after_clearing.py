"""Gradients of two tasks are taken one by one, cleared, and written back where they do not conflict; then those of single samples, clipped."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
parameters = list(model.parameters())
optimizer = torch.optim.Adam(parameters, lr=1e-3)
for _ in range(30):
    x = torch.randn(32, 8)
    output = model(x)
    flat = []
    for loss in (nn.functional.mse_loss(output, x[:, :4]), nn.functional.cross_entropy(output, x[:, :4].argmax(1))):
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        flat.append(torch.cat([p.grad.flatten() for p in parameters]))
    first, second = flat
    if first @ second < 0:
        first = first - (first @ second) / second.norm() ** 2 * second
    optimizer.zero_grad()
    for p, gradient in zip(parameters, (first + second).split([p.numel() for p in parameters])):
        p.grad = gradient.view_as(p).clone()
    optimizer.step()

optimizer = torch.optim.SGD(parameters, lr=0.1)
for _ in range(20):
    x = torch.randn(8, 8)
    total = [torch.zeros_like(p) for p in parameters]
    for sample in x:
        optimizer.zero_grad(set_to_none=False)
        nn.functional.mse_loss(model(sample), sample[:4]).backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        for into, p in zip(total, parameters):
            into += p.grad
    optimizer.zero_grad(set_to_none=False)
    for p, gradient in zip(parameters, total):
        p.grad.copy_((gradient + 0.1 * torch.randn_like(gradient)) / len(x))
    optimizer.step()
