"""The optimizer was given the whole model, but the slow copy runs without gradients, so there is nothing to step it with."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 16))
predictor = nn.Linear(16, 16)
slow = copy.deepcopy(encoder)
model = nn.ModuleList([encoder, predictor, slow])
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(40):
    x = torch.randn(64, 12)
    with torch.no_grad():
        wanted = slow(x + 0.1 * torch.randn_like(x))
    loss = 1 - nn.functional.cosine_similarity(predictor(encoder(x)), wanted).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for mine, theirs in zip(slow.parameters(), encoder.parameters()):
            mine.lerp_(theirs, 0.05)
print(f"loss {loss.item():.3f}")
