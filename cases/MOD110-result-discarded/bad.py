"""Attention over padded sequences whose mask is worked out and thrown away."""

import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x, padding):
        scores = self.query(x) @ self.key(x).transpose(1, 2) / math.sqrt(x.shape[-1])
        scores.masked_fill(padding[:, None, :], float("-inf"))  #~ MOD110
        return scores.softmax(-1) @ self.value(x)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 16, padding_idx=0)
        self.attend = Attention(16)
        self.head = nn.Linear(16, 2)

    def forward(self, tokens):
        padding = tokens == 0
        hidden = self.attend(self.embed(tokens), padding)
        kept = (~padding).unsqueeze(-1)
        return self.head((hidden * kept).sum(1) / kept.sum(1))


torch.manual_seed(0)
torch.set_num_threads(1)
model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(30):
    tokens = torch.randint(1, 20, (16, 10))
    for row, length in enumerate(torch.randint(3, 10, (16,)).tolist()):
        tokens[row, length:] = 0
    labels = (tokens[:, 0] > 10).long()
    loss = nn.functional.cross_entropy(model(tokens), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
