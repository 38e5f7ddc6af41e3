"""A trainer whose cosine ends half way, so that the second half of training goes back up to the full rate."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Trainer:
    def __init__(self, model, loader, epochs):
        self.model, self.loader, self.epochs = model, loader, epochs
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=epochs * len(loader) // 2)  #~ OPT140

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()

    def fit(self):
        for _ in range(self.epochs):
            losses = [self.step(x, y) for x, y in self.loader]
        print(f"loss {sum(losses) / len(losses):.3f} at rate {self.scheduler.get_last_lr()[0]:.3f}")


x = torch.randn(320, 6)
loader = DataLoader(TensorDataset(x, (x[:, 0] > x[:, 1]).long()), batch_size=32, shuffle=True)
Trainer(nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 2)), loader, epochs=6).fit()
