"""A GRU over sequences whose first two axes are to be swapped, but are reshaped."""

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
        self.rnn = nn.GRU(8, 32)
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        b, t, c = x.shape
        x = x.view(t, b, c)  #~ SHP102
        h, _ = self.rnn(x)
        return self.head(h[-1])


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
