"""A two-layer LSTM that predicts the next token, with clipping and dropout: many small operations in one module."""

import torch
from _loop import measure
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(200, 64)
        self.lstm = nn.LSTM(64, 96, num_layers=2, batch_first=True, dropout=0.2)
        self.head = nn.Linear(96, 200)

    def forward(self, tokens):
        return self.head(self.lstm(self.embed(tokens))[0])


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
tokens = torch.randint(0, 200, (256, 33))


def step(number):
    batch = tokens[16 * (number % 16) :][:16]
    logits = model(batch[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss


measure(step, steps=2_200)
