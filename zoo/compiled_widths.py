"""Sweep the width of a compiled network in one process, each fed whole batches and a shorter last one, and keep the best."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def spirals(count, seed):
    """Three arms of a spiral, as points of the plane and the number of their arm."""
    generator = torch.Generator().manual_seed(seed)
    arm = torch.randint(3, (count,), generator=generator)
    along = torch.rand(count, generator=generator)
    angle = 2.1 * arm + 3 * along + 0.15 * torch.randn(count, generator=generator)
    return TensorDataset(torch.stack([along * angle.cos(), along * angle.sin()], dim=1), arm)


def build(width):
    return nn.Sequential(nn.Linear(2, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 3))


def fit(width, train, held):
    torch.manual_seed(width)
    network = build(width)
    model = torch.compile(network, backend="eager")
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-2)
    for _ in range(6):
        network.train()
        for point, arm in train:
            optimizer.zero_grad()
            F.cross_entropy(model(point), arm).backward()
            optimizer.step()
    network.eval()
    with torch.no_grad():
        right = sum((network(point).argmax(1) == arm).sum().item() for point, arm in held)
    return right / len(held.dataset), network


train = DataLoader(spirals(500, 0), batch_size=64, shuffle=True)
held = DataLoader(spirals(150, 1), batch_size=150)
results = {width: fit(width, train, held) for width in (8, 24, 64)}
for width, (share, _) in results.items():
    print(f"width {width}: {share:.2f}")
best = max(results, key=lambda width: results[width][0])
with torch.no_grad():
    point, arm = held.dataset.tensors
    print(f"best width {best}: loss {F.cross_entropy(results[best][1](point), arm).item():.3f}")
