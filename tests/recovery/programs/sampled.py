"""Trains on batches of a loader that shuffles; goes on from a snapshot in the midst of an epoch where it is given one. Prints the losses."""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

kind, workers = sys.argv[1], int(sys.argv[2])
torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(70, 6, generator=torch.Generator().manual_seed(1))
data = TensorDataset(x, x.sum(1, keepdim=True))
own = torch.Generator().manual_seed(3) if kind == "own" else None
loader = DataLoader(data, batch_size=10, shuffle=True, num_workers=workers, generator=own)
held_out = DataLoader(data, batch_size=35)
model = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
begin, skipped, states = 0, 0, None
if len(sys.argv) > 3:
    folder = Path(sys.argv[3])
    model.load_state_dict(torch.load(folder / "model.pt", weights_only=True))
    optimizer.load_state_dict(torch.load(folder / "optimizer.pt", weights_only=True))
    position = torch.load(folder / "sampler.pt", weights_only=True)
    begin, skipped = position["epoch"], position["batches"]
    torch.set_rng_state(position["random"]["torch"])
    if own is not None:
        own.set_state(position["loader"])
    states = torch.load(folder / "random.pt", weights_only=True)
for epoch in range(begin, 4):
    batches = iter(loader)
    for _ in range(skipped):
        next(batches)
    if states is not None:
        torch.set_rng_state(states["torch"])
        states, skipped = None, 0
    for inputs, targets in batches:
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item().hex())
    with torch.no_grad():
        print(sum(nn.functional.mse_loss(model(inputs), targets) for inputs, targets in held_out).item().hex())
