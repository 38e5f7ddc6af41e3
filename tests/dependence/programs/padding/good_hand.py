"""The mask by hand hides the keys."""

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
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(50, width)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.head = nn.Linear(width, 2)

    def forward(self, tokens):
        x = self.embed(tokens)
        real = tokens != 0
        scores = self.query(x) @ self.key(x).transpose(1, 2) / math.sqrt(x.size(-1))
        scores = scores.masked_fill(~real.unsqueeze(1), -1e9)
        x = x + scores.softmax(-1) @ self.value(x)
        return self.head((x * real.unsqueeze(-1)).sum(1) / real.sum(1, keepdim=True))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
