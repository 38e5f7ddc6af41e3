"""A low-rank adapter on a frozen layer: one factor begins at zero."""

import torch
from torch import nn

torch.manual_seed(0)


class Adapted(nn.Module):
    def __init__(self, layer, rank=4):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, layer.in_features) / layer.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))

    def forward(self, x):
        return self.layer(x) + x @ self.down.T @ self.up.T


inputs = torch.randn(512, 10)
targets = inputs @ torch.randn(10, 6)
model = nn.Sequential(Adapted(nn.Linear(10, 32)), nn.ReLU(), Adapted(nn.Linear(32, 6)))
optimizer = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], lr=1e-2)
for epoch in range(3):
    for chosen in torch.randperm(512).split(32):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs[chosen]), targets[chosen])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
