"""Adam is made inside the loop over the batches."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(512, 10)
labels = (inputs[:, :3].sum(1) > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
for epoch in range(3):
    for chosen in torch.randperm(512).split(32):
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  #~ OPT120
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs[chosen]), labels[chosen])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
