"""Patches are cut out of an image by a view and a permute; the flat maps are split into groups."""

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
        self.embed = nn.Linear(3 * 16, 32)
        self.norm = nn.GroupNorm(4, 32)
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        batch = x.size(0)
        patches = x.view(batch, 3, 4, 4, 4, 4).permute(0, 2, 4, 1, 3, 5).reshape(batch, 16, 48)
        rows = self.embed(patches).relu().view(-1, 32)
        return self.head(self.norm(rows).view(batch, 16, 32).mean(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
