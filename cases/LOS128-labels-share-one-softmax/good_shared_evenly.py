"""Several tags share a probability of one evenly, as is usual for hashtags; articles without a tag are left out."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
words = torch.randn(240, 20)
words = words[(words[:, :5] > 0.6).any(1)]
tags = (words[:, :5] > 0.6).float()
tags = tags / tags.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for rows in torch.randperm(len(words)).split(40):
        loss = nn.functional.cross_entropy(model(words[rows]), tags[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
