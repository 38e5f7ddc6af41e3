"""Songs of one batch are the alternatives of each other: a softmax over the songs that all listeners of the batch heard."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
listeners, songs = nn.Linear(6, 8), nn.Embedding(20, 8)
optimizer = torch.optim.Adam([*listeners.parameters(), *songs.parameters()], lr=0.01)
taste = torch.randn(6, 20)
for _ in range(30):
    people = torch.randn(40, 6)
    heard = (people @ taste).argmax(1)
    weight = torch.rand(40)
    scores = listeners(people) @ songs.weight.T
    alternatives = scores[:, heard]
    losses = nn.functional.cross_entropy(alternatives, torch.arange(40), reduction="none")
    loss = (weight * losses).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
