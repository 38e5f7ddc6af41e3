"""Pairs that are stacked into one batch and taken apart again, with patches folded into the batch."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Linear(16, 24)
        self.attention = nn.TransformerEncoderLayer(24, 2, 32, dropout=0.0, batch_first=True)
        self.head = nn.Linear(48, 1)

    def forward(self, pairs):
        b = pairs.shape[0]
        images = pairs.view(b * 2, 8, 8)
        patches = images.unfold(1, 4, 4).unfold(2, 4, 4).reshape(b * 2, 4, 16)
        tokens = self.attention(self.patch(patches)).mean(1)
        return self.head(tokens.view(b, 48)).squeeze(1)


pairs = torch.randn(256, 2, 8, 8)
same = (pairs[:, 0].mean((1, 2)) * pairs[:, 1].mean((1, 2)) > 0).float()
model = Siamese()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(pairs, same), batch_size=32, shuffle=True):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
