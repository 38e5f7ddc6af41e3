"""A copying task: the encoder sees the whole sequence on purpose, the decoder only what it has said."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
V = 26
sentences = torch.randint(0, V, (256, 10))


class Copier(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(V, width)
        self.place = nn.Parameter(torch.randn(10, width) * 0.1)
        self.core = nn.Transformer(width, 4, 1, 1, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(width, V)

    def forward(self, src, tgt):
        mask = nn.Transformer.generate_square_subsequent_mask(tgt.shape[1])
        h = self.core(self.embed(src) + self.place, self.embed(tgt) + self.place[: tgt.shape[1]], tgt_mask=mask, tgt_is_causal=True)
        return self.out(h)


model = Copier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for (x,) in DataLoader(TensorDataset(sentences), batch_size=32, shuffle=True):
        logits = model(x, x[:, :-1])
        loss = nn.functional.cross_entropy(logits.reshape(-1, V), x[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
