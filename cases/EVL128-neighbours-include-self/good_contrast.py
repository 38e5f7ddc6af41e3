"""Two views of each sample are told apart by all others; in the accuracy beside the loss the sample stands on the diagonal, as it is meant."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
kind = torch.randint(6, (120,))
points = torch.randn(6, 20)[kind] + torch.randn(120, 20)
encoder = nn.Sequential(nn.Linear(20, 32), nn.Tanh(), nn.Linear(32, 6))
optimizer = torch.optim.Adam(encoder.parameters(), lr=3e-3)


@torch.no_grad()
def matched(points):
    first = F.normalize(encoder(points), dim=1)
    second = F.normalize(encoder(points + 0.05 * torch.randn_like(points)), dim=1)
    alike = (first @ first.T).argmax(1).eq(torch.arange(len(points))).float().mean().item()
    return (first @ second.T).argmax(1).eq(torch.arange(len(points))).float().mean().item(), alike


for epoch in range(4):
    for batch in torch.randperm(120).split(40):
        views = [F.normalize(encoder(points[batch] + 0.1 * torch.randn(40, 20)), dim=1) for _ in range(2)]
        loss = F.cross_entropy(views[0] @ views[1].T / 0.1, torch.arange(40))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} matched", *matched(points))
