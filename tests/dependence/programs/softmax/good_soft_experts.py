"""Soft mixture of experts: dispatch over the tokens, combine over the slots."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
signals = torch.randn(256, 12, 8)
labels = (signals[:, :6, 0].mean(1) > signals[:, 6:, 1].mean(1)).long()
loader = DataLoader(TensorDataset(signals, labels), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=16, experts=3):
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.slots = nn.Parameter(torch.randn(width, experts) / 4)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        x = self.embed(x)
        scores = x @ self.slots
        inputs = scores.softmax(dim=1).transpose(1, 2) @ x
        outputs = torch.stack([expert(inputs[:, i]).relu() for i, expert in enumerate(self.experts)], 1)
        return self.head((scores.softmax(dim=2) @ outputs).mean(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
