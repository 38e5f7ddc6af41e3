"""A dilated convolutional language model: padded on both sides, and what reaches ahead is cut off again."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
V = 25
text = torch.randint(0, V, (320, 22))


class Causal(nn.Module):
    def __init__(self, given, made, dilation):
        super().__init__()
        self.cut = 2 * dilation
        self.conv = nn.Conv1d(given, made, kernel_size=3, padding=self.cut, dilation=dilation)
        self.norm = nn.BatchNorm1d(made)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)[..., : -self.cut]))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(V, 24)
        self.body = nn.Sequential(Causal(24, 32, 1), Causal(32, 32, 2), Causal(32, 32, 4))
        self.head = nn.Conv1d(32, V, kernel_size=1)

    def forward(self, x):
        return self.head(self.body(self.embed(x).transpose(1, 2)))


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for (batch,) in DataLoader(TensorDataset(text), batch_size=32, shuffle=True):
        loss = nn.functional.cross_entropy(model(batch[:, :-1]), batch[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
