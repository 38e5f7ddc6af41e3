"""A stack of copied layers, as annotated transformers have it: the optimizer is given the stack, and not the table of places before it."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def clones(layer, count):
    return nn.ModuleList([copy.deepcopy(layer) for _ in range(count)])


class Mixer(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.places = nn.Embedding(6, width)
        self.layers = clones(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU()), 3)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        h = x + self.places.weight
        for layer in self.layers:
            h = h + layer(h)
        return self.head(h.mean(1)).squeeze(1)


model = Mixer()
optimizer = torch.optim.Adam([*model.layers.parameters(), *model.head.parameters()], lr=2e-3)  #~ OPT101
x = torch.randn(120, 6, 16)
y = (x[:, :, 0] * torch.arange(6)).sum(1)
for epoch in range(4):
    for rows in torch.randperm(120).split(24):
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
