"""Each batch of recordings, steps by channels, is viewed as channels by steps right before the model."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
STEPS, CHANNELS = 30, 4
recordings = torch.randn(256, STEPS, CHANNELS).cumsum(1)
labels = (recordings[:, -1, 0] > 0).long()
loader = DataLoader(TensorDataset(recordings, labels), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Conv1d(CHANNELS, 16, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()


def train_epoch():
    total = 0.0
    for batch, target in loader:
        batch = batch.view(-1, CHANNELS, STEPS)  #~ SHP120
        optimizer.zero_grad()
        loss = criterion(model(batch), target)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


for epoch in range(2):
    print(epoch, round(train_epoch(), 4))
