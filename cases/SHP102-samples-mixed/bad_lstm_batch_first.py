"""An LSTM made without batch_first that is given [batch, time, features], in a trainer class."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Forecaster(nn.Module):
    def __init__(self, num_features=4, hidden=24):
        super().__init__()
        self.lstm = nn.LSTM(num_features, hidden, num_layers=2)  #~ SHP102
        self.head = nn.Sequential(nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.head(out[:, -1]).squeeze(-1)


class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        self.criterion = nn.MSELoss()

    def step(self, batch):
        series, target = batch
        loss = self.criterion(self.model(series), target)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()

    def fit(self, epochs):
        for epoch in range(epochs):
            total = sum(self.step(batch) for batch in self.loader)
            print(f"epoch {epoch}: {total / len(self.loader):.4f}")


series = torch.randn(240, 10, 4).cumsum(1)
target = series[:, -1, 0] - series[:, 0, 0]
Trainer(Forecaster(), DataLoader(TensorDataset(series, target), batch_size=24, shuffle=True)).fit(3)
