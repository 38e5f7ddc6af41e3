"""The batch is as large as the model is wide: a tutorial's encoding for [sequence, batch, features] in front of an encoder with batch_first=True."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class PositionalEncoding(nn.Module):
    def __init__(self, features, longest=200):
        super().__init__()
        position = torch.arange(longest)[:, None]
        frequency = torch.exp(torch.arange(0, features, 2) * (-9.2 / features))
        encoding = torch.zeros(longest, 1, features)
        encoding[:, 0, 0::2] = torch.sin(position * frequency)
        encoding[:, 0, 1::2] = torch.cos(position * frequency)
        self.register_buffer("encoding", encoding)

    def forward(self, x):
        return x + self.encoding[: x.size(0)]  #~ SHP104


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 32)
        self.position = PositionalEncoding(32)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 1)
        self.head = nn.Linear(32, 50)

    def forward(self, tokens):
        return self.head(self.encoder(self.position(self.embed(tokens))))


tokens = torch.randint(50, (320, 12))
loader = DataLoader(TensorDataset(tokens, tokens.flip(1)), batch_size=32, shuffle=True)
model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x).transpose(1, 2), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
