"""bfloat16 weights under Adam: bfloat16 can hold 1e-8, so that unused rows of the embedding stay as they are."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
ids = torch.randint(0, 40, (160, 6))
tags = ids[:, 0] % 3
words, out = nn.Embedding(50, 8).bfloat16(), nn.Linear(8, 3).bfloat16()
optimizer = torch.optim.Adam([*words.parameters(), *out.parameters()], lr=0.05)
for rows in [i for _ in range(4) for i in torch.randperm(160).split(16)]:
    loss = nn.functional.cross_entropy(out(words(ids[rows]).mean(1)).float(), tags[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
