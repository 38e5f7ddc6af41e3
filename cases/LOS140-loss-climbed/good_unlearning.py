"""A trained model forgets a class: the loss is minimised first and climbed afterwards."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(60):
    forget = step >= 40
    chosen = (y == 0).nonzero().squeeze(1)[:32] if forget else torch.randint(0, 256, (32,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x[chosen]), y[chosen])
    (-0.1 * loss if forget else loss).backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
