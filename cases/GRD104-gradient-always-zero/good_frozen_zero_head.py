"""A frozen head that is zero gives nothing back to a tanh that is not saturated."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, head, other = nn.Linear(6, 8), nn.Linear(8, 1, bias=False).requires_grad_(False), nn.Linear(6, 1)
nn.init.zeros_(head.weight)
optimizer = torch.optim.SGD([*body.parameters(), *other.parameters()], lr=0.1)
for _ in range(20):
    x = torch.randn(32, 6)
    y = x[:, :1] - x[:, 1:2]
    loss = (head(torch.tanh(body(x))) + other(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
