"""A mixture of experts with limited room: which expert serves a token depends on the other tokens of the batch."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Experts(nn.Module):
    def __init__(self, width, count=4, room=20):
        super().__init__()
        self.gate = nn.Linear(width, count)
        self.weights = nn.Parameter(torch.randn(count, width, width) * width**-0.5)
        self.count, self.room = count, room

    def forward(self, x):
        tokens = x.reshape(-1, x.shape[-1])
        probability, expert = self.gate(tokens).softmax(-1).max(-1)
        chosen = F.one_hot(expert, self.count)
        place = (chosen.cumsum(0) * chosen).sum(-1)
        kept = (place <= self.room).to(tokens.dtype)
        mixed = torch.einsum("nc,ecd,ne->nd", tokens, self.weights, chosen.to(tokens.dtype))
        return x + (mixed * (probability * kept)[:, None]).view_as(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts, self.head = Experts(12), nn.Linear(12, 2)

    def forward(self, x):
        return self.head(self.experts(x).mean(1))


signals = torch.randn(256, 4, 12)
labels = (signals[:, :, 0].sum(1) > 0).long()
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
