"""One long series without a batch: the rows of the loader are its steps."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
signals = torch.randn(256, 12, 8)
labels = (signals[:, :6, 0].mean(1) > signals[:, 6:, 1].mean(1)).long()
loader = DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True)


series = torch.randn(512, 8)
after = series.roll(1, 0)[:, :1] * 2
loader = DataLoader(TensorDataset(series, after), batch_size=64)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 32)
        self.head = nn.Linear(32, 1)

    def forward(self, x):
        states, _ = self.rnn(x)
        return self.head(states)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
