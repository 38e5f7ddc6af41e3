"""Votes are added up by `accumulate=True`, the last one of each region is kept by a plain assignment, and visits count as one."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
vote, head = nn.Linear(3, 4), nn.Linear(5, 2)
optimizer = torch.optim.Adam([*vote.parameters(), *head.parameters()], lr=0.02)
for _ in range(20):
    pixels, region = torch.randn(120, 3), torch.randint(0, 12, (120,))
    votes = vote(pixels)
    total = torch.zeros(12, 4).index_put_((region,), votes, accumulate=True)
    last = torch.zeros(12, 4)
    last[region] = votes
    visited = torch.zeros(12)
    visited[region] += 1
    counted = torch.zeros(12, 1)
    counted[region] += torch.ones(120, 1)
    scores = head(torch.cat([total + 0.1 * last * visited[:, None], counted], 1))
    target = (torch.zeros(12).index_add(0, region, pixels[:, 0]) > 0).long()
    loss = nn.functional.cross_entropy(scores, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
