"""Trains with everything that has a state of its own; goes on from a snapshot where it is given one. Prints the losses."""

import random
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
np.random.seed(0)
random.seed(0)
torch.set_num_threads(1)
STEPS = 40
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=STEPS)
scaler = torch.amp.GradScaler("cpu", init_scale=64.0, growth_interval=7)
first = 0
if len(sys.argv) > 1:
    folder = Path(sys.argv[1])
    first = int(sys.argv[2])
    model.load_state_dict(torch.load(folder / "model.pt", weights_only=True))
    optimizer.load_state_dict(torch.load(folder / "optimizer.pt", weights_only=True))
    scheduler.load_state_dict(torch.load(folder / "scheduler.pt", weights_only=True))
    scaler.load_state_dict(torch.load(folder / "scaler.pt", weights_only=True))
    states = torch.load(folder / "random.pt", weights_only=True)
    torch.set_rng_state(states["torch"])
    kind, keys, *rest = states["numpy"]
    np.random.set_state((kind, keys.numpy().astype("uint32"), *rest))
    random.setstate(tuple(tuple(part) if isinstance(part, list) else part for part in states["python"]))
for step in range(first, STEPS):
    x = torch.randn(16, 6) + random.random() + np.random.rand()
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    scheduler.step()
    print(step, loss.item().hex())
torch.save([model.state_dict(), optimizer.state_dict(), scheduler.state_dict(), scaler.state_dict()], "end.pt")
