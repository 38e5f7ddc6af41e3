"""The hidden code is rounded, and nothing before the rounding learns."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
encoder, head = nn.Linear(6, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
for _ in range(20):
    x = torch.randn(32, 6)
    y = x[:, :1] - x[:, 1:2]
    code = torch.round(encoder(x))  #~ GRD104
    loss = (head(code) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
