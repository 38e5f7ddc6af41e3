"""An averaging meter is fed with the loss itself, so that its sum is the tail of a graph that grows."""
import torch
from torch import nn


class AverageMeter:
    def __init__(self):
        self.total, self.count = 0, 0

    def update(self, value, n=1):
        self.total = self.total + value * n  #~ HDW101
        self.count += n

    @property
    def average(self):
        return self.total / self.count


class Trainer:
    def __init__(self, model):
        self.model, self.meter = model, AverageMeter()
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.l1_loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        self.meter.update(loss, len(x))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    trainer = Trainer(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1)))
    data = torch.randn(960, 6)
    for batch in data.split(16):
        trainer.step(batch, batch.sum(1, keepdim=True))
    print(f"{float(trainer.meter.average):.3f}")


main()
