"""The vocabulary is filled up to the next multiple of 64, and the ids that are too many never occur."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
TOKENS = 1003
VOCABULARY = -(-TOKENS // 64) * 64
model = nn.Sequential(nn.Embedding(VOCABULARY, 64), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, VOCABULARY))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(12):
    tokens = torch.randint(0, TOKENS, (4, 17))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
