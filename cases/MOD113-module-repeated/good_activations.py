"""One activation between all layers, and a list of widths that is multiplied: nothing that is trained is repeated."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


def tower(widths, activation):
    layers = []
    for before, after in zip(widths, widths[1:]):
        layers += [nn.Linear(before, after), activation]
    return nn.Sequential(*layers)


model = nn.Sequential(tower([8, *[16] * 3], nn.ReLU()), *[nn.Tanh()] * 2, nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(40):
    x = torch.randn(32, 8)
    loss = F.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
