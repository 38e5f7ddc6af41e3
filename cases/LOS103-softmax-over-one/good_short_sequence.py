"""Attention pooling over sequences, some batches of which have a single token: there the weights are 1."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
embed, score, out = nn.Embedding(20, 12), nn.Linear(12, 1), nn.Linear(12, 3)
opt = torch.optim.Adam([*embed.parameters(), *score.parameters(), *out.parameters()], lr=0.02)
for step in range(40):
    tokens = torch.randint(0, 20, (16, 1 + step % 3))
    h = embed(tokens)
    weight = torch.softmax(score(h), dim=1)
    loss = F.cross_entropy(out((weight * h).sum(1)), tokens[:, 0] % 3)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
