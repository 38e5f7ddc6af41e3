"""A mask of zeros is added to the scores."""

import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
start = torch.randint(0, 40, (256, 1))
text = (start + torch.arange(17) * torch.randint(1, 4, (256, 1))) % 40
loader = DataLoader(TensorDataset(text[:, :-1], text[:, 1:]), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=32, heads=2):
        super().__init__()
        self.heads = heads
        self.embed = nn.Embedding(40, width)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.head = nn.Linear(width, 40)

    def forward(self, x):
        x = self.embed(x)
        batch, time, width = x.shape
        q, k, v = (layer(x).view(batch, time, self.heads, -1).transpose(1, 2) for layer in (self.query, self.key, self.value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        mask = torch.zeros(time, time)  #~ guilty
        weights = (scores + mask).softmax(-1)  #~ guilty
        mixed = (weights @ v).transpose(1, 2).reshape(batch, time, width)  #~ guilty
        return self.head(x + mixed)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
