"""The classes of each pixel are permuted to the end, then flattened."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(96, 3, 12, 12)
regions = (images[:, 0] > 0.4).long() + (images[:, 1] > 0).long()
loader = DataLoader(TensorDataset(images, regions), batch_size=16, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 3, 1))

    def forward(self, x):
        return self.layers(x)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        logits = model(x).permute(0, 2, 3, 1).reshape(-1, 3)
        loss = F.cross_entropy(logits, y.view(-1))
        loss.backward()
        optimizer.step()
