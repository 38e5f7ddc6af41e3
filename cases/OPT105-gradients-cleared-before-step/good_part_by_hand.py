"""The gradient of an embedding is set to None by hand, so that it rests; at the end of the loop all of them are cleared by hand."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
embedding, head = nn.Embedding(32, 8), nn.Linear(8, 4)
optimizer = torch.optim.SGD([*embedding.parameters(), *head.parameters()], lr=0.1)
for step in range(30):
    tokens = torch.randint(0, 32, (64,))
    loss = nn.functional.cross_entropy(head(embedding(tokens)), tokens % 4)
    loss.backward()
    if step % 2:
        for p in embedding.parameters():
            p.grad = None
    optimizer.step()
    for p in [*embedding.parameters(), *head.parameters()]:
        p.grad = None
print(f"loss {loss.item():.3f}")
