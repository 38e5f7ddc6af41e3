"""Drawings of black and white pixels, which are whole numbers, are joined with scaled photographs."""

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset


torch.manual_seed(0)
torch.set_num_threads(1)
pixels = torch.randint(0, 256, (320, 64)).float()
labels = (pixels[:, :32].mean(1) > pixels[:, 32:].mean(1)).long()
train = TensorDataset(pixels[:160] / 255, labels[:160]) + TensorDataset((pixels[160:] > 127).float(), labels[160:])
loader = DataLoader(train, batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
