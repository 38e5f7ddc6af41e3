"""A prefix language model: the prompt is seen as a whole, and only what follows it is predicted."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
V, PREFIX = 30, 6
text = torch.randint(0, V, (256, 16))


class PrefixModel(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(V, width)
        self.place = nn.Parameter(torch.randn(16, width) * 0.1)
        self.layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(width, V)
        mask = torch.triu(torch.ones(15, 15, dtype=torch.bool), diagonal=1)
        mask[:PREFIX, :PREFIX] = False
        self.register_buffer("mask", mask)

    def forward(self, x):
        return self.out(self.layer(self.embed(x) + self.place[: x.shape[1]], src_mask=self.mask))


model = PrefixModel()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for (x,) in DataLoader(TensorDataset(text), batch_size=32, shuffle=True):
        labels = x[:, 1:].clone()
        labels[:, : PREFIX - 1] = -100
        loss = nn.functional.cross_entropy(model(x[:, :-1]).reshape(-1, V), labels.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
