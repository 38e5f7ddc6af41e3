"""One function is put on all parameters, and fires on those whose head is trained."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, heads = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.ModuleList(nn.Linear(16, 1) for _ in range(2))
for head in reversed(heads):
    for parameter in head.parameters():
        parameter.register_hook(lambda gradient: gradient * 0.5)
optimizer = torch.optim.SGD([*body.parameters(), *heads[0].parameters()], lr=0.05)
for step in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(heads[0](body(x)), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
