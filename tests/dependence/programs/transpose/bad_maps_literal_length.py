"""Maps of 24 samples, 32 channels: a literal 32 leads the view, then the rows are taken for samples again."""

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
        self.conv = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4))
        self.squeeze = nn.Linear(16, 8)
        self.head = nn.Linear(32 * 8, 2)

    def forward(self, x):
        maps = self.conv(x).view(32, -1, 16)  #~ guilty
        return self.head(self.squeeze(maps).relu().transpose(0, 1).flatten(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
