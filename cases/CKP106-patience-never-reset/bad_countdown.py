"""An autoencoder has six chances, and each epoch without a new record takes one of them for good."""

import copy

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.4, momentum=0.9)
        self.best = None

    def epoch(self, data):
        self.model.train()
        for rows in torch.randperm(len(data)).split(12):
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.model(data[rows]), data[rows]).backward()
            self.optimizer.step()

    def fit(self, data, held, chances=6):
        best_loss = float("inf")
        for _ in range(60):
            self.epoch(data)
            self.model.eval()
            with torch.no_grad():
                loss = float(nn.functional.mse_loss(self.model(held), held))
            if best_loss > loss:  #~ CKP106
                best_loss = loss
                self.best = copy.deepcopy(self.model.state_dict())
                continue
            chances -= 1
            if chances == 0:
                break
        self.model.load_state_dict(self.best)
        return best_loss


torch.manual_seed(0)
torch.set_num_threads(1)
data = torch.randn(240, 3) @ torch.randn(3, 9) + 0.2 * torch.randn(240, 9)
model = nn.Sequential(nn.Linear(9, 4), nn.Tanh(), nn.Linear(4, 9))
print(f"best {Trainer(model).fit(data[:180], data[180:]):.3f}")
