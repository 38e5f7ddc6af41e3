"""nn.Transformer without batch_first gets [batch, word, features] on both sides."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
sources = torch.randint(3, 40, (256, 10))
outputs = torch.cat([torch.ones(256, 1, dtype=torch.long), sources.flip(1)], 1)
loader = DataLoader(TensorDataset(sources, outputs[:, :-1], outputs[:, 1:]), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(40, width)
        self.transformer = nn.Transformer(width, 4, 1, 1, 64)  #~ guilty
        self.head = nn.Linear(width, 40)

    def forward(self, x, given):
        out = self.transformer(self.embed(x), self.embed(given), tgt_mask=None)  #~ guilty
        return self.head(out)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, given, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x, given).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
