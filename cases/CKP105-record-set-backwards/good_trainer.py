"""The best loss begins at infinity, and the checkpoint is that of the smallest."""
import tempfile
from pathlib import Path

import torch
from torch import nn


class Trainer:
    def __init__(self, model, folder):
        self.model = model
        self.path = Path(folder, "best.pt")
        self.best_loss = float("inf")
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def epoch(self, x, y):
        self.model.train()
        for start in range(0, 256, 32):
            loss = nn.functional.mse_loss(self.model(x[start : start + 32]), y[start : start + 32])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def fit(self, x, y):
        for _ in range(6):
            self.epoch(x, y)
            self.model.eval()
            with torch.no_grad():
                valid_loss = float(nn.functional.mse_loss(self.model(x[256:]), y[256:]))
            if valid_loss < self.best_loss:
                self.best_loss = valid_loss
                torch.save(self.model.state_dict(), self.path)


torch.manual_seed(0)
torch.set_num_threads(1)
inputs = torch.randn(320, 5)
targets = inputs.sum(1, keepdim=True) + 0.1 * torch.randn(320, 1)
with tempfile.TemporaryDirectory() as place:
    trainer = Trainer(nn.Linear(5, 1), place)
    trainer.fit(inputs, targets)
    print(f"checkpoint {trainer.path.exists()}")
