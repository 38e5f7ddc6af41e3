"""A bidirectional encoder that restores hidden words, and one that tags each word: both may look ahead."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
V, MASK = 30, 30
text = torch.randint(0, V, (256, 14))


class Encoder(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(V + 1, width)
        self.lstm = nn.LSTM(width, width // 2, batch_first=True, bidirectional=True)
        self.layer = nn.TransformerEncoderLayer(width, 4, 64, batch_first=True)
        self.words, self.tags = nn.Linear(width, V), nn.Linear(width, 3)

    def forward(self, x):
        h = self.layer(self.lstm(self.embed(x))[0])
        return self.words(h), self.tags(h)


model = Encoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for (x,) in DataLoader(TensorDataset(text), batch_size=32, shuffle=True):
        hidden = torch.rand(x.shape) < 0.2
        words, tags = model(x.masked_fill(hidden, MASK))
        loss = nn.functional.cross_entropy(words.transpose(1, 2), x.masked_fill(~hidden, -100), ignore_index=-100)
        loss = loss + nn.functional.cross_entropy(tags.transpose(1, 2), x % 3)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
