"""Every reader of a batch gets the same drawn books as negatives, as many as there are readers, with a weight for each reader."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
readers = nn.Linear(6, 15)
optimizer = torch.optim.Adam(readers.parameters(), lr=0.01)
taste = torch.randn(6, 15)
for _ in range(30):
    people = torch.randn(32, 6)
    liked = (people @ taste).argmax(1)
    weight = torch.rand(32)
    scores = readers(people)
    negative = scores[:, torch.randint(0, 15, (32,))]
    positive = scores.gather(1, liked[:, None]).squeeze(1)
    loss = (weight[:, None] * nn.functional.softplus(negative)).mean() - nn.functional.logsigmoid(positive).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
