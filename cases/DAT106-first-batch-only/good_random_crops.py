"""A dataset that cuts a random piece out of a text, whatever the index."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
text = torch.cumsum(torch.randint(1, 4, (3000,)), 0) % 16


class Crops(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        begin = torch.randint(0, len(text) - 13, (1,)).item()
        piece = text[begin : begin + 13]
        return piece[:-1], piece[1:]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(16, 16)
        self.rnn = nn.GRU(16, 32, batch_first=True)
        self.head = nn.Linear(32, 16)

    def forward(self, x):
        return self.head(self.rnn(self.embedding(x))[0])


loader = DataLoader(Crops(), batch_size=16)
model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(40):
    x, y = next(iter(loader))
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
