"""A trainer that sets the gradients to None by hand, in a helper that it calls between backward and step."""

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def clear(self):
        for p in self.model.parameters():
            p.grad = None  #~ OPT105

    def step(self, x, y):
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.clear()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = (x[:, 0] > x[:, 1]).long()
trainer = Trainer(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 2)))
for _ in range(30):
    chosen = torch.randint(0, 256, (32,))
    loss = trainer.step(x[chosen], y[chosen])
print(f"loss {loss:.3f}")
