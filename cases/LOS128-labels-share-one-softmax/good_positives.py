"""Supervised contrastive learning: the log-probabilities of all positives of a sample are averaged by hand."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(240, 20)
y = x[:, :4].argmax(1)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 8))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for rows in torch.randperm(240).split(40):
        z = nn.functional.normalize(model(x[rows]), dim=1)
        own = torch.eye(len(rows), dtype=torch.bool)
        positive = ((y[rows][:, None] == y[rows][None]) & ~own).float()
        similar = (z @ z.t() / 0.2).masked_fill(own, -1e9)
        loss = -((similar.log_softmax(1) * positive).sum(1) / positive.sum(1).clamp(min=1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
