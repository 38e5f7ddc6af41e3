"""Validation that names `eval` and does not call it, with a schedule that is never stepped."""

import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 2))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 2)

    def validate(self, x, y):
        self.model.eval  #~ MOD111
        with torch.no_grad():
            return (self.model(x).argmax(1) == y).float().mean().item()

    def fit(self, x, y, epochs):
        for epoch in range(epochs):
            self.model.train()
            for rows in torch.randperm(len(x)).split(32):
                self.optimizer.zero_grad()
                nn.functional.cross_entropy(self.model(x[rows]), y[rows]).backward()
                self.optimizer.step()
            self.scheduler.step()
            self.validate(x[:64] + 0.01, y[:64])


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(320, 8)
Trainer().fit(x, (x.sum(1) > 0).long(), 6)
