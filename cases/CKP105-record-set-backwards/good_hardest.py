"""A state is kept for the epoch of the largest loss, to be looked at, beside that of the smallest."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(300, 4)
y = x.sum(1, keepdim=True)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
worst_loss, best_loss, worst, best = 0.0, float("inf"), None, None
for epoch in range(6):
    model.train()
    for start in range(0, 240, 40):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[start : start + 40]), y[start : start + 40])
        loss.backward()
        optimizer.step()
    epoch_loss = loss.item()
    if epoch_loss > worst_loss:
        worst_loss, worst = epoch_loss, copy.deepcopy(model.state_dict())
    if epoch_loss < best_loss:
        best_loss, best = epoch_loss, copy.deepcopy(model.state_dict())
print(f"from {worst_loss:.3f} to {best_loss:.3f}: {(worst['weight'] - best['weight']).norm():.2f}")
