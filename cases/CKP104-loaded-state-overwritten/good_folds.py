"""After each fold the best weights are loaded and evaluated, and the next fold begins from new ones."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
x = torch.randn(120, 6)
y = x.sum(1, keepdim=True)
for fold in range(3):
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.kaiming_normal_(module.weight)
            nn.init.zeros_(module.bias)
    held = torch.arange(120) // 40 == fold
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    best, kept = float("inf"), None
    for step in range(20):
        loss = nn.functional.mse_loss(model(x[~held]), y[~held])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < best:
            best, kept = loss.item(), copy.deepcopy(model.state_dict())
    model.load_state_dict(kept)
    with torch.no_grad():
        nn.functional.mse_loss(model(x[held]), y[held])
