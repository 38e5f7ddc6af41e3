#~ zero: GRD104
"""Inputs in the millions saturate a sigmoid for every sample."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, head = nn.Linear(6, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for _ in range(20):
    x = torch.randn(32, 6)
    y = x[:, :1] - x[:, 1:2]
    hidden = torch.sigmoid(body(x.sign() * 1e6))  #~ here
    loss = (head(hidden) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
