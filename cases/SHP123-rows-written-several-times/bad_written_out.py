"""Residues of several chains take from the pool of their chain, written out as a difference."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
embed, score = nn.Embedding(20, 8), nn.Linear(8, 1)
pool = nn.Parameter(torch.zeros(6, 8))
optimizer = torch.optim.SGD([*embed.parameters(), *score.parameters(), pool], lr=0.05)
chain = torch.arange(90) // 15
for _ in range(20):
    residues = torch.randint(0, 20, (90,))
    taken = embed(residues)
    left = pool.clone()
    left[chain] = left[chain] - taken  #~ SHP123
    target = torch.stack([(residues[chain == each] < 5).sum() for each in range(6)]).float()
    loss = (score(left).squeeze(1) - target).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
