"""A learned table, looked up with as many numbers as there are samples."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class PositionalEncoding(nn.Module):
    def __init__(self, features, longest=200):
        super().__init__()
        self.table = nn.Embedding(longest, features)

    def forward(self, x):
        positions = torch.arange(x.shape[0]).unsqueeze(1)
        return x + self.table(positions)  #~ SHP104


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
loader = DataLoader(TensorDataset(tokens, tokens.flip(1)), batch_size=16, shuffle=True)
model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x).transpose(1, 2), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
