"""A sharpness-aware step: gradients at a moved point, then the step of the same optimizer; a second network learns beside it."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net, gate = nn.Linear(5, 1), nn.Linear(5, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
gate_optimizer = torch.optim.SGD(gate.parameters(), lr=0.05)
for _ in range(30):
    x = torch.randn(24, 5)
    y = x.sum(1, keepdim=True)
    optimizer.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    with torch.no_grad():
        moves = [0.05 * weight.grad / weight.grad.norm() for weight in net.parameters()]
        for weight, move in zip(net.parameters(), moves, strict=True):
            weight.add_(move)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    with torch.no_grad():
        for weight, move in zip(net.parameters(), moves, strict=True):
            weight.sub_(move)
    optimizer.step()
    gate_optimizer.zero_grad()
    nn.functional.binary_cross_entropy_with_logits(gate(x), (net(x).detach() > 0).float()).backward()
    gate_optimizer.step()
print(f"{loss.item():.3f}")
