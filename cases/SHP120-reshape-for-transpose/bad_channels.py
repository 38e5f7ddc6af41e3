"""A convolution over time that gets its channels first by `view`."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self, channels=6, length=20):
        super().__init__()
        self.channels, self.length = channels, length
        self.conv = nn.Conv1d(channels, 16, 3, padding=1)
        self.head = nn.Linear(16, 1)

    def forward(self, x):
        h = F.relu(self.conv(x.reshape(len(x), self.channels, self.length)))  #~ SHP120
        return self.head(h.amax(2))


signals = torch.randn(256, 20, 6).cumsum(1)
targets = (signals[:, -1, :1] - signals[:, 0, :1]) / 4
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(signals, targets), batch_size=32, shuffle=True):
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
