"""Small pictures under noise, by a class that draws it where none is given: the loss has it, and the pictures have their own."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.leave = nn.Conv2d(1, 12, 3, padding=1), nn.Conv2d(12, 1, 3, padding=1)
        self.when = nn.Embedding(50, 12)

    def forward(self, x, when):
        return self.leave(F.silu(self.enter(x) + self.when(when)[:, :, None, None]))


class Process:
    def __init__(self, model):
        self.model = model
        self.kept = torch.cumprod(1 - torch.linspace(1e-3, 0.1, 50), dim=0).view(-1, 1, 1, 1)

    def add(self, pictures, when, noise=None):
        if noise is None:
            noise = torch.randn_like(pictures)
        return self.kept[when].sqrt() * pictures + (1 - self.kept[when]).sqrt() * noise

    def loss(self, pictures, noise=None):
        when = torch.randint(50, (len(pictures),))
        if noise is None:
            noise = torch.randn_like(pictures)
        given = self.add(pictures, when)
        return F.mse_loss(noise, self.model(given, when))  #~ DAT132


torch.manual_seed(0)
torch.set_num_threads(1)
pictures = (torch.rand(8, 1, 8, 8) < 0.3).float()[torch.randint(8, (256,))] * 2 - 1
process = Process(Net())
optimizer = torch.optim.Adam(process.model.parameters(), lr=2e-3)
for batch in (pictures[torch.randint(256, (16,))] for _ in range(20)):
    loss = process.loss(batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
