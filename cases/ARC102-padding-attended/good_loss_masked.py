"""A causal language model over padded rows: no real token looks at padding, and the loss leaves it out by a mask."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
V, PAD = 40, 0
ids = torch.randint(1, V, (256, 18))
ids[torch.arange(18)[None] >= torch.randint(6, 17, (256, 1))] = PAD


class LanguageModel(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embedding = nn.Embedding(V, width)
        self.layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(width, V)

    def forward(self, ids):
        given, wanted = ids[:, :-1], ids[:, 1:]
        causal = nn.Transformer.generate_square_subsequent_mask(given.shape[1])
        logits = self.out(self.layer(self.embedding(given), src_mask=causal, is_causal=True))
        counts = (wanted != PAD).float()
        losses = F.cross_entropy(logits.transpose(1, 2), wanted, reduction="none")
        return logits, (losses * counts).sum() / counts.sum()


model = LanguageModel()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for (x,) in DataLoader(TensorDataset(ids), batch_size=32, shuffle=True):
        _, loss = model(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
