"""Columns of a convolution's map are to be the time steps of an LSTM; the axes are not swapped, but viewed."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(192, 3, 16, 16)
labels = (images[:, 0, :8].mean((1, 2)) > images[:, 1, 8:].mean((1, 2))).long()
loader = DataLoader(TensorDataset(images, labels), batch_size=24, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d((16, 1)))
        self.rnn = nn.LSTM(24, 32)
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        maps = self.conv(x)
        steps = maps.view(16, x.size(0), 24)  #~ guilty
        states, _ = self.rnn(steps)
        return self.head(states[-1])


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
