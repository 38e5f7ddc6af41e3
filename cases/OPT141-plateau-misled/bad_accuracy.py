"""A trainer that keeps a history of accuracies, and feeds the last of them to a schedule in its default mode."""

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, patience=2)  #~ OPT141
        self.history = {"val_acc": []}

    def train(self, x, y):
        for batch in torch.randperm(len(x)).split(16):
            self.optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(self.model(x[batch]), y[batch])
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def validate(self, x, y):
        self.history["val_acc"].append((self.model(x).argmax(1) == y).float().mean().item())
        self.scheduler.step(self.history["val_acc"][-1])

    def fit(self, x, y, epochs):
        for _ in range(epochs):
            self.train(x[:256], y[:256])
            self.validate(x[256:], y[256:])
        print([round(value, 2) for value in self.history["val_acc"]])


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(512, 8)
y = (x @ torch.randn(8, 4)).argmax(1)
Trainer(nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))).fit(x, y, 10)
