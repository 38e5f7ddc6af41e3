"""Pooling by attention leaves padding in, the mean at its side does not."""

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
        self.score = nn.Linear(width, 1)
        self.head = nn.Linear(2 * width, 2)

    def forward(self, tokens):
        x = self.embed(tokens)
        real = (tokens != 0).unsqueeze(-1)
        weights = self.score(x).softmax(1)  #~ guilty
        mean = (x * real).sum(1) / real.sum(1)
        return self.head(torch.cat([(weights * x).sum(1), mean], -1))  #~ guilty


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
