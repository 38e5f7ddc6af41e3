"""Recipes are told from others that an object draws for each row, by a seed that grows with each batch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Others:
    count = 60
    batches = 0

    def draw(self, cooks):
        self.batches += 1
        source = torch.Generator().manual_seed(self.batches)
        return torch.randint(0, self.count, (cooks.shape[0],), generator=source)


cooks, recipes = nn.Embedding(30, 8), nn.Embedding(60, 8)
optimizer = torch.optim.Adam([*cooks.parameters(), *recipes.parameters()], lr=0.02)
who = torch.randint(0, 30, (600,))
pairs = DataLoader(TensorDataset(who, (2 * who + torch.randint(0, 3, (600,))) % 60), batch_size=40, shuffle=True)
others = Others()
for _ in range(4):
    for cook, liked in pairs:
        other = others.draw(cook)
        better = (cooks(cook) * (recipes(liked) - recipes(other))).sum(1)
        loss = -nn.functional.logsigmoid(better).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
