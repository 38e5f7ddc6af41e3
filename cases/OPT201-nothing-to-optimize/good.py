"""The same program, mended."""

import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList()
        for a, b in zip(sizes[:-1], sizes[1:]):
            self.layers.append(nn.Linear(a, b))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


torch.set_num_threads(1)
torch.manual_seed(0)
model = Deep([6, 20, 20, 1])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    loss = model(torch.randn(10, 6)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("ok")
