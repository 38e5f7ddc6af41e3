"""A vocabulary of 1003 tokens in single precision."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Embedding(1003, 64), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1003))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(12):
    tokens = torch.randint(0, 1003, (4, 17))
    loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
