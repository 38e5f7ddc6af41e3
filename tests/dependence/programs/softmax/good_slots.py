"""Slot attention: slots compete for each place, then the weights are made to sum to one over the places."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(192, 3, 16, 16)
labels = (images[:, 0, :8].mean((1, 2)) > images[:, 1, 8:].mean((1, 2))).long()
loader = DataLoader(TensorDataset(images, labels), batch_size=24, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=32, slots=4):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, width, 3, stride=2, padding=1), nn.ReLU())
        self.slots = nn.Parameter(torch.randn(slots, width))
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.update = nn.GRUCell(width, width)
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        places = self.conv(x).flatten(2).transpose(1, 2)
        slots = self.slots.expand(len(x), -1, -1)
        for _ in range(2):
            scores = self.query(slots) @ self.key(places).transpose(1, 2) / slots.size(-1) ** 0.5
            weights = scores.softmax(dim=1) + 1e-8
            weights = weights / weights.sum(-1, keepdim=True)
            found = weights @ self.value(places)
            slots = self.update(found.flatten(0, 1), slots.flatten(0, 1)).view(slots.shape)
        return self.head(slots.mean(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
