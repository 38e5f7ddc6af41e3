"""A trainer that saves model and momentum, and takes up again the weights and the step alone."""

import os
import tempfile

import torch
from torch import nn


class Trainer:
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.net = nn.Linear(6, 1)
        self.optim = torch.optim.SGD(self.net.parameters(), lr=0.02, momentum=0.95)
        self.step = 0

    def save(self, path):
        torch.save({"step": self.step, "net": self.net.state_dict(), "optim": self.optim.state_dict()}, path)

    def resume(self, path):
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.net.load_state_dict(state["net"])  #~ CKP140
        self.step = state["step"]
        return self

    def run(self, until):
        while self.step < until:
            chosen = torch.randint(0, len(self.x), (32,))
            loss = nn.functional.mse_loss(self.net(self.x[chosen]), self.y[chosen])
            self.optim.zero_grad()
            loss.backward()
            self.optim.step()
            self.step += 1
        print(f"step {self.step}: loss {loss.item():.4f}")


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(400, 6)
y = x @ torch.randn(6, 1)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "last.pt")
    trainer = Trainer(x, y)
    trainer.run(30)
    trainer.save(path)
    Trainer(x, y).resume(path).run(60)
