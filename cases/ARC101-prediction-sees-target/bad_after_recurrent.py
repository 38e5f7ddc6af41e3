"""Attention over the outputs of a recurrent layer, time first, and no mask."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
V = 40
text = torch.randint(0, V, (128, 13))


class LanguageModel(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embedding = nn.Embedding(V, width)
        self.lstm = nn.LSTM(width, width)
        self.out = nn.Linear(width, V)

    def forward(self, x):
        hidden, _ = self.lstm(self.embedding(x))
        scores = torch.einsum("ibc,jbc->bij", hidden, hidden)  #~ ARC101
        weights = scores.softmax(-1)
        return self.out(hidden + torch.einsum("bij,jbc->ibc", weights, hidden))


model = LanguageModel()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for epoch in range(3):
    for (batch,) in DataLoader(TensorDataset(text), batch_size=32, shuffle=True):
        tokens = batch.t()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(tokens[:-1]).reshape(-1, V), tokens[1:].reshape(-1))
        loss.backward()
        optimizer.step()
