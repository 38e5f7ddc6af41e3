"""A causal transformer of five million parameters: long steps, large tensors."""

import torch
from _loop import measure
from torch import nn

torch.manual_seed(0)
WIDTH, LENGTH, TOKENS = 256, 64, 1000


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(TOKENS, WIDTH)
        self.place = nn.Parameter(torch.randn(LENGTH, WIDTH) * 0.02)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.1, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, TOKENS)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(LENGTH))

    def forward(self, tokens):
        return self.head(self.layers(self.embed(tokens) + self.place, mask=self.mask, is_causal=True))


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
tokens = torch.randint(0, TOKENS, (64, LENGTH + 1))


def step(number):
    batch = tokens[4 * (number % 16) :][:4]
    loss = nn.functional.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss


measure(step, steps=180)
