"""All weights are filled with 0.1."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(512, 10)
labels = (inputs[:, :3].sum(1) > 0).float()
model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 1))
for module in model:
    if isinstance(module, nn.Linear):
        nn.init.constant_(module.weight, 0.1)  #~ GRD120
        nn.init.zeros_(module.bias)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for chosen in torch.randperm(512).split(32):
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(inputs[chosen]).squeeze(1), labels[chosen])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
