"""The language model with its causal mask, and padding at the end that the loss leaves out."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
V = 40
text = torch.randint(1, V, (256, 17))
text[torch.arange(17)[None] >= torch.randint(6, 18, (256, 1))] = 0
loader = DataLoader(TensorDataset(text[:, :-1], text[:, 1:]), batch_size=32, shuffle=True)


class LanguageModel(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embedding = nn.Embedding(V, width, padding_idx=0)
        self.position = nn.Parameter(torch.randn(16, width) * 0.02)
        self.layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.1, batch_first=True)
        self.out = nn.Linear(width, V)

    def forward(self, x):
        mask = torch.triu(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool), diagonal=1)
        h = self.layer(self.embedding(x) + self.position, src_mask=mask)
        return self.out(h)


model = LanguageModel()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).reshape(-1, V), y.reshape(-1), ignore_index=0)
        loss.backward()
        optimizer.step()
