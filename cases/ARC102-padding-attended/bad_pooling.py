"""Attention pooling whose weights are taken over the padding too, although the mask is at hand."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
PAD = 49
ids = torch.randint(0, 49, (256, 15))
ids[torch.arange(15)[None] >= torch.randint(3, 12, (256, 1))] = PAD
labels = (ids[:, :3] < 12).any(1).float()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 24)
        self.score, self.head = nn.Linear(24, 1), nn.Linear(24, 1)

    def forward(self, ids):
        h = torch.tanh(self.embedding(ids))
        mask = (ids != PAD).unsqueeze(-1).float()
        weights = F.softmax(self.score(h) * mask, dim=1)  #~ ARC102
        return self.head((weights * h).sum(1)).squeeze(1)


model = Net()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(ids, labels), batch_size=32, shuffle=True):
        loss = F.binary_cross_entropy_with_logits(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
