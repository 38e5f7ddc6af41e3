"""A small language model under autocast has a vocabulary of 1003 tokens, so that its head is no multiple of eight."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
VOCABULARY = 1003


class Model(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.inner = nn.Linear(width, width)
        self.head = nn.Linear(width, VOCABULARY)  #~ HDW170

    def forward(self, tokens):
        hidden = torch.relu(self.inner(self.embedding(tokens)))
        return self.head(hidden)


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(12):
    tokens = torch.randint(0, VOCABULARY, (4, 17))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
