"""Gradients are meant to be cleared by hand, but zero_ is named without being called."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
w_true = torch.randn(6)
layer = nn.Linear(6, 1)
optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)


def clear(parameters):
    for p in parameters:
        if p.grad is not None:
            p.grad.zero_  #~? OPT104


for step in range(60):
    x = torch.randn(20, 6)
    clear(layer.parameters())
    loss = (layer(x).squeeze(1) - x @ w_true).pow(2).mean()
    loss.backward()  #~ OPT104
    optimizer.step()  #~? OPT104
print(f"distance from the truth {(layer.weight[0] - w_true).norm().item():.4f}")
