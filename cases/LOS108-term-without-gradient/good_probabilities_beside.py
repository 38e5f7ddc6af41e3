"""Counts stand beside probabilities, which have the gradient; the count alone is weighed by nought and printed."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
torch.set_num_threads(1)
router, readers = nn.Linear(12, 3), nn.ModuleList(nn.Linear(12, 4) for _ in range(3))
optimizer = torch.optim.Adam([*router.parameters(), *readers.parameters()], lr=0.01)
count_weight = 0.0
for step in range(40):
    x = torch.randn(32, 12)
    probabilities = router(x).softmax(1)
    weight, chosen = probabilities.max(1)
    read = torch.stack([reader(x) for reader in readers], 1)[torch.arange(32), chosen]
    share = functional.one_hot(chosen, 3).float().mean(0)
    balance = 3 * (share * probabilities.mean(0)).sum()
    unused = (share == 0).float().sum()
    loss = functional.cross_entropy(weight[:, None] * read, x[:, :4].argmax(1)) + 0.1 * balance + count_weight * unused
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}, {int(unused)} unused")
