"""Recipes are judged by the same drawn others each time, and trained with others that one generator goes on to draw."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
going_on = torch.Generator().manual_seed(4)


def same_others(rows):
    source = torch.Generator().manual_seed(9)
    return torch.randint(0, 60, (len(rows),), generator=source)


def other_others(rows):
    return torch.randint(0, 60, (len(rows),), generator=going_on)


def better(cook, liked, other):
    return (cooks(cook) * (recipes(liked) - recipes(other))).sum(1)


cooks, recipes = nn.Embedding(30, 8), nn.Embedding(60, 8)
optimizer = torch.optim.Adam([*cooks.parameters(), *recipes.parameters()], lr=0.02)
who = torch.randint(0, 30, (600,))
pairs = DataLoader(TensorDataset(who, (2 * who + torch.randint(0, 3, (600,))) % 60), batch_size=40, shuffle=True)
for _ in range(4):
    for cook, liked in pairs:
        other = other_others(cook)
        with torch.no_grad():
            judged = (better(cook, liked, same_others(cook)) > 0).float().mean()
        loss = -nn.functional.logsigmoid(better(cook, liked, other)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f} {judged.item():.2f}")
