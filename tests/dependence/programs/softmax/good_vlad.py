"""NetVLAD: each place is shared out over the clusters, and each cluster sums up its places."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(192, 3, 16, 16)
labels = (images[:, 0, :8].mean((1, 2)) > images[:, 1, 8:].mean((1, 2))).long()
loader = DataLoader(TensorDataset(images, labels), batch_size=24, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=16, clusters=4):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, width, 3, stride=2, padding=1), nn.ReLU())
        self.assign = nn.Conv2d(width, clusters, 1)
        self.centres = nn.Parameter(torch.randn(clusters, width))
        self.head = nn.Linear(clusters * width, 2)

    def forward(self, x):
        maps = self.conv(x)
        shares = self.assign(maps).flatten(2).softmax(dim=1)
        places = maps.flatten(2)
        sums = shares @ places.transpose(1, 2) - shares.sum(-1, keepdim=True) * self.centres
        return self.head(F.normalize(sums.flatten(1), dim=1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
