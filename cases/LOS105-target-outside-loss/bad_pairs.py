"""Two towers that are trained on pairs with a cosine loss, which is given 1 for pairs that match and 0 for those that do not."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
people = torch.randn(10, 12)
tower = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 8))
criterion = nn.CosineEmbeddingLoss(margin=0.2)
optimizer = torch.optim.Adam(tower.parameters(), lr=2e-3)
for step in range(30):
    left = torch.randint(0, 10, (32,))
    right = torch.where(torch.rand(32) < 0.5, left, torch.randint(0, 10, (32,)))
    same = (left == right).long()
    first, second = tower(people[left]), tower(people[right])
    loss = criterion(first, second, same)  #~ LOS105
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
