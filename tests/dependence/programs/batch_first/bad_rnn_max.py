"""A plain RNN without batch_first, pooled over what is taken for time."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
signals = torch.randn(256, 12, 8)
labels = (signals[:, :6, 0].mean(1) > signals[:, 6:, 1].mean(1)).long()
loader = DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(8, 32)  #~ guilty
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        states, _ = self.rnn(x)  #~ guilty
        return self.head(states.amax(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
