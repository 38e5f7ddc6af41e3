"""A trainer counts the hits of its validation in an attribute that only the constructor sets to nought."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Trainer:
    def __init__(self, model, train_loader, valid_loader):
        self.model, self.train_loader, self.valid_loader = model, train_loader, valid_loader
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.correct = 0

    def fit(self, epochs):
        for epoch in range(epochs):
            self.model.train()
            for x, y in self.train_loader:
                self.optimizer.zero_grad()
                nn.functional.cross_entropy(self.model(x), y).backward()
                self.optimizer.step()
            print(epoch, self.validate())

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        for x, y in self.valid_loader:
            self.correct += (self.model(x).argmax(1) == y).sum().item()  #~ EVL170
        return self.correct / len(self.valid_loader.dataset)


x = torch.randn(320, 4)
y = (x.sum(1) > 0).long()
train = DataLoader(TensorDataset(x[:256], y[:256]), batch_size=32, shuffle=True)
valid = DataLoader(TensorDataset(x[256:], y[256:]), batch_size=32)
Trainer(nn.Linear(4, 2), train, valid).fit(3)
