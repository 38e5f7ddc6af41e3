"""Each sample's likeness to the classes of all others in the batch is raised where the classes agree and lowered where they do not."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, classes = nn.Linear(6, 8), nn.Parameter(torch.randn(4, 8))
optimizer = torch.optim.Adam([*body.parameters(), classes], lr=0.01)
centres = torch.randn(4, 6)
for _ in range(30):
    y = torch.randint(0, 4, (24,))
    x = centres[y] + 0.3 * torch.randn(24, 6)
    likeness = nn.functional.normalize(body(x), dim=1) @ nn.functional.normalize(classes, dim=1).T
    pairs = likeness[:, y]
    agree = (y[:, None] == y[None, :]).float()
    loss = -(pairs * (2 * agree - 1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
