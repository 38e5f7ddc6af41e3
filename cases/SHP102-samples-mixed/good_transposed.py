"""The axes swapped as they should be: a GRU that takes the sequence first is given it first."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
signals = torch.randn(256, 12, 8)
labels = (signals[:, :, 0].mean(1) > 0).long()
loader = DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(8)
        self.rnn = nn.GRU(8, 32)
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        b, t, c = x.shape
        x = self.norm(x.reshape(b * t, c)).view(b, t, c)
        h, _ = self.rnn(x.transpose(0, 1))
        return self.head(h[-1])


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
