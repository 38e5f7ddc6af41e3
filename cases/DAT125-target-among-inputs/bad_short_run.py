"""Hourly temperatures, a recurrent model and one pass over the windows, whose target is read one row too early."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

HOURS = 12


class Windows(Dataset):
    def __init__(self, readings):
        self.readings = readings

    def __len__(self):
        return len(self.readings) - HOURS

    def __getitem__(self, start):
        stop = start + HOURS
        window = self.readings[start:stop]
        following = self.readings[stop - 1, :1]  #~ DAT125
        return window, following


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = nn.LSTM(2, 16, batch_first=True)
        self.head = nn.Linear(16, 1)

    def forward(self, window):
        states, _ = self.memory(window)
        return self.head(states[:, -1])


torch.manual_seed(0)
torch.set_num_threads(1)
hours = torch.arange(400.0)
temperature = torch.sin(hours * 0.26) + 0.2 * torch.randn(400)
readings = torch.stack([temperature, torch.cos(hours * 0.26)], 1)
model = Forecast()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for window, following in DataLoader(Windows(readings), batch_size=32, shuffle=True):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(window), following)
    loss.backward()
    optimizer.step()
print(loss.item())
