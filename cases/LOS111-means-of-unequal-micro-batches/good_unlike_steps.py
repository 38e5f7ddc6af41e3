"""Padded batches without accumulation: each step has the mean over its own tokens, as it should."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
embed, out = nn.Embedding(20, 12, padding_idx=0), nn.Linear(12, 5)
optimizer = torch.optim.Adam([*embed.parameters(), *out.parameters()], lr=0.01)
for step in range(30):
    tokens = torch.randint(1, 20, (6, 12))
    tokens[torch.arange(12) >= torch.randint(2, 12 if step % 2 else 4, (6, 1))] = 0
    labels = (tokens % 5).masked_fill(tokens == 0, -100)
    loss = F.cross_entropy(out(embed(tokens)).flatten(0, 1), labels.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
