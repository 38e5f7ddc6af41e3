"""Embeddings that are meant to have length one each, normalised along the batch."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class CosineClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.Linear(32, 16))
        self.prototypes = nn.Parameter(torch.randn(5, 16))

    def forward(self, x):
        embedding = F.normalize(self.body(x), dim=0)  #~ SHP102
        return 10 * embedding @ F.normalize(self.prototypes, dim=-1).t()


features = torch.randn(400, 12)
labels = features[:, :5].argmax(1)
model = CosineClassifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(features, labels), batch_size=40, shuffle=True):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
