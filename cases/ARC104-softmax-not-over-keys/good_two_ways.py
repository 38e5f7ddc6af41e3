"""Two halves attend to each other (BiDAF, co-attention): one softmax for each way."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
signals = torch.randn(256, 12, 8)
labels = (signals[:, :6, 0].mean(1) > signals[:, 6:, 1].mean(1)).long()
loader = DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.head = nn.Linear(4 * width, 2)

    def forward(self, x):
        first, second = self.embed(x[:, :5]), self.embed(x[:, 5:])
        scores = first @ second.transpose(1, 2)
        to_second = scores.softmax(dim=2) @ second
        to_first = scores.softmax(dim=1).transpose(1, 2) @ first
        back = scores.softmax(dim=2) @ to_first
        return self.head(torch.cat([first, to_second, first * to_second, first * back], -1).mean(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
