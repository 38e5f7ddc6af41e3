"""A mixer maps steps on purpose, with a kernel of one value and a transposed linear layer, where there are as many steps as features."""

import torch
from torch import nn
from torch.nn import functional as F

import tensan

torch.manual_seed(0)
torch.set_num_threads(1)


class Mixer(nn.Module):
    def __init__(self, width=16, steps=16):
        super().__init__()
        self.norm, self.tokens, self.more = nn.LayerNorm(width), nn.Conv1d(steps, steps, 1), nn.Linear(steps, steps)
        self.features, self.head = nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, x):
        x = x + self.tokens(self.norm(x))
        x = x + self.more(x.transpose(1, 2)).transpose(1, 2)
        return self.head((x + self.features(x).relu()).mean(1))


model = Mixer()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(30):
    x = tensan.axes(torch.randn(12, 16, 16), "B T D")
    loss = F.cross_entropy(model(x), (x[:, :, 0].mean(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
