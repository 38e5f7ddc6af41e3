"""A translation model whose decoder is not masked."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
V, BOS = 26, 1
source = torch.randint(2, V, (256, 9))
target = torch.cat([torch.full((256, 1), BOS), source.flip(1)], 1)


class Seq2Seq(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.src, self.tgt = nn.Embedding(V, width), nn.Embedding(V, width)
        self.place = nn.Parameter(torch.randn(10, width) * 0.1)
        self.core = nn.Transformer(width, 4, 1, 1, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(width, V)

    def forward(self, src, tgt):
        src = self.src(src) + self.place[: src.shape[1]]
        tgt = self.tgt(tgt) + self.place[: tgt.shape[1]]
        return self.out(self.core(src, tgt))  #~ ARC101


model = Seq2Seq()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for src, tgt in DataLoader(TensorDataset(source, target), batch_size=32, shuffle=True):
        logits = model(src, tgt[:, :-1])
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), tgt[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
