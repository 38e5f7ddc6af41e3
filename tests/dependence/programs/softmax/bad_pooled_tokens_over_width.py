"""Learned queries pool the words: scores of [batch, word, query], softmax over the queries, averaged over words."""

import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
tokens = torch.randint(1, 50, (256, 14))
lengths = torch.randint(4, 15, (256,))
tokens[torch.arange(14) >= lengths[:, None]] = 0
labels = (tokens.eq(7).sum(1) + tokens.eq(9).sum(1) > 0).long()
loader = DataLoader(TensorDataset(tokens, labels), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=32, queries=4):
        super().__init__()
        self.embed = nn.Embedding(50, width)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.seeds = nn.Parameter(torch.randn(queries, width))
        self.head = nn.Linear(queries * width, 2)

    def forward(self, x):
        words = self.embed(x)
        scores = self.query(self.seeds) @ self.key(words).transpose(1, 2) / math.sqrt(words.size(-1))
        scores = scores.masked_fill((x == 0)[:, None], -1e9)
        weights = scores.softmax(1)  #~ guilty
        return self.head((weights @ self.value(words)).flatten(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
