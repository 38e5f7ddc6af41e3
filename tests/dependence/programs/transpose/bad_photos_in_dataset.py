"""The loop reshapes photographs with their channels last before it gives them to the model."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
photos = torch.rand(192, 20, 16, 3)
labels = (photos[..., 0].mean((1, 2)) > photos[..., 1].mean((1, 2))).long()
loader = DataLoader(TensorDataset(photos, labels), batch_size=24, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        return self.head(self.features(x))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        x = x.reshape(x.shape[0], 3, 20, 16)  #~ guilty
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
