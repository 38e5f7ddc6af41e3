"""Means over unequal numbers of tokens, each weighed by its share of the tokens of the step."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
embed, out = nn.Embedding(20, 12, padding_idx=0), nn.Linear(12, 5)
optimizer = torch.optim.Adam([*embed.parameters(), *out.parameters()], lr=0.01)
for step in range(20):
    batches = []
    for longest in (4, 12):
        tokens = torch.randint(1, 20, (6, 12))
        tokens[torch.arange(12) >= torch.randint(2, longest + 1, (6, 1))] = 0
        batches.append((tokens, (tokens % 5).masked_fill(tokens == 0, -100)))
    counts = [int((labels != -100).sum()) for _, labels in batches]
    optimizer.zero_grad()
    for (tokens, labels), count in zip(batches, counts):
        loss = F.cross_entropy(out(embed(tokens)).flatten(0, 1), labels.flatten()) * count / sum(counts)
        loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
