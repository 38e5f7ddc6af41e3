"""A softmax over branches weighs two convolutions of each channel."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(192, 3, 16, 16)
labels = (images[:, 0, :8].mean((1, 2)) > images[:, 1, 8:].mean((1, 2))).long()
loader = DataLoader(TensorDataset(images, labels), batch_size=24, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.small, self.large = nn.Conv2d(3, width, 3, padding=1), nn.Conv2d(3, width, 5, padding=2)
        self.choose = nn.Linear(width, 2 * width)
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        maps = torch.stack([self.small(x), self.large(x)], dim=1)
        weights = self.choose(maps.sum(1).mean((2, 3))).view(len(x), 2, -1).softmax(dim=1)
        return self.head((weights[..., None, None] * maps).sum(1).relu().mean((2, 3)))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
