"""A transformer encoder for single rows of features, made without batch_first and given [batch, 1, features]."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
features = torch.randn(256, 16)
labels = features[:, :3].argmax(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0)  #~ SHP103
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.encoder(x.unsqueeze(1)).squeeze(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(features, labels), batch_size=32, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
