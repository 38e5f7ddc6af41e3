"""A convolutional language model padded on both sides, its loss taken over [batch, classes, time]."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
V = 25
text = torch.randint(0, V, (320, 22))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(V, 24)
        self.first = nn.Conv1d(24, 32, kernel_size=3, padding=1)  #~ ARC101
        self.second = nn.Conv1d(32, V, kernel_size=1)

    def forward(self, x):
        return self.second(torch.relu(self.first(self.embed(x).transpose(1, 2))))


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    for (batch,) in DataLoader(TensorDataset(text), batch_size=32, shuffle=True):
        loss = criterion(model(batch[:, :-1]), batch[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
