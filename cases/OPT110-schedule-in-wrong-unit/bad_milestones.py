"""Milestones are epochs, but the trainer steps the schedule per batch: all decays happen within one epoch."""
import torch
from torch import nn
from torch.optim.lr_scheduler import MultiStepLR


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.3)
        self.milestones = MultiStepLR(self.opt, milestones=[3, 5], gamma=0.1)  #~ OPT110

    def train_epoch(self, x, y):
        for idx in torch.randperm(len(x)).split(32):
            loss = nn.functional.cross_entropy(self.model(x[idx]), y[idx])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.milestones.step()  #~? OPT110
        return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 9)
Y = (X @ torch.randn(9, 4)).argmax(1)
trainer = Trainer(nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 4)))
for epoch in range(6):
    loss = trainer.train_epoch(X, Y)
print(f"loss {loss:.3f}, rate {trainer.opt.param_groups[0]['lr']:.4f}")
