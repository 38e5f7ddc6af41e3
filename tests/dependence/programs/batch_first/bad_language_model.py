"""A language model with a GRU without batch_first."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
start = torch.randint(0, 40, (256, 1))
text = (start + torch.arange(17) * torch.randint(1, 4, (256, 1))) % 40
loader = DataLoader(TensorDataset(text[:, :-1], text[:, 1:]), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(40, 32)
        self.gru = nn.GRU(32, 64)  #~ guilty
        self.head = nn.Linear(64, 40)

    def forward(self, x):
        states, _ = self.gru(self.embed(x))  #~ guilty
        return self.head(states)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
