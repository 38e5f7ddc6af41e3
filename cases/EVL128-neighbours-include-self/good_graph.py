"""A graph of neighbours with loops, each point its own neighbour, over which scores are averaged before the points are classified."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
kind = torch.randint(4, (120,))
points = torch.randn(4, 20)[kind] + torch.randn(120, 20)
encoder = nn.Sequential(nn.Linear(20, 32), nn.Tanh(), nn.Linear(32, 6))
head = nn.Linear(6, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=3e-3)


@torch.no_grad()
def accuracy(points, kind):
    places = encoder(points)
    neighbours = torch.cdist(places, places).topk(5, largest=False).indices
    scores = head(places)
    smooth = scores[neighbours].mean(1)
    return (smooth.argmax(1) == kind).float().mean().item()


for epoch in range(4):
    for batch in torch.randperm(120).split(24):
        optimizer.zero_grad()
        F.cross_entropy(head(encoder(points[batch])), kind[batch]).backward()
        optimizer.step()
    print(f"epoch {epoch} accuracy {accuracy(points, kind):.3f}")
