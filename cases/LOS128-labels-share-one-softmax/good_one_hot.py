"""One label for each sample, written as zeros and ones."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
words = torch.randn(240, 20)
tags = nn.functional.one_hot(words[:, :5].argmax(1), 5).float()
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for rows in torch.randperm(240).split(40):
        loss = nn.functional.cross_entropy(model(words[rows]), tags[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
