"""Images and captions are compared: one side is divided by the lengths of its columns."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
images, captions = nn.Linear(16, 8), nn.Linear(12, 8)
scale = nn.Parameter(torch.tensor(2.0))
optimizer = torch.optim.Adam([*images.parameters(), *captions.parameters(), scale], lr=1e-3)
for step in range(30):
    shared = torch.randn(32, 12)
    seen, told = images(torch.cat([shared, torch.randn(32, 4)], 1)), captions(shared)
    seen = seen / seen.norm(dim=0, keepdim=True)  #~ ARC105
    told = told / told.norm(dim=1, keepdim=True)
    logits = scale.exp() * seen @ told.t()
    loss = (F.cross_entropy(logits, torch.arange(32)) + F.cross_entropy(logits.t(), torch.arange(32))) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
