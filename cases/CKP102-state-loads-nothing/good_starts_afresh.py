"""A strict load of another model's state fails, and the program starts afresh, as it says."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
stored = {"encoder.weight": torch.randn(4, 4), "encoder.bias": torch.randn(4)}
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
try:
    model.load_state_dict(stored)
except RuntimeError:
    print("the checkpoint is of another model: starting afresh")
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(20):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
