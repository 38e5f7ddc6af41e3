"""Adversarial training: the perturbation of each batch has an optimizer of its own, for one step or several."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(512, 10)
labels = (inputs[:, :3].sum(1) > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for chosen in torch.randperm(512).split(32):
        change = torch.zeros(len(chosen), 10, requires_grad=True)
        attacker = torch.optim.Adam([change], lr=0.05, maximize=True)
        worst = nn.functional.cross_entropy(model(inputs[chosen] + change), labels[chosen])
        attacker.zero_grad()
        worst.backward()
        attacker.step()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs[chosen] + change.detach()), labels[chosen])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
