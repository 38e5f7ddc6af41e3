"""Gradients are zeroed in place by hand after each step, in one helper for all parameters."""
import torch
from torch import nn


def apply_and_clear(optimizer):
    optimizer.step()
    grads = [p.grad for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
    torch._foreach_zero_(grads)


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.LSTM(3, 10, batch_first=True)
readout = nn.Linear(10, 3)
optimizer = torch.optim.Adam([*model.parameters(), *readout.parameters()], lr=0.02)
for _ in range(40):
    x = torch.randn(16, 8, 3)
    hidden, _ = model(x)
    loss = (readout(hidden)[:, 1:] - x[:, :-1]).pow(2).mean()
    loss.backward()
    apply_and_clear(optimizer)
print(f"loss {loss.item():.3f}")
