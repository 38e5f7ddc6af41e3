"""Schedules of the program itself, which call super()."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.norm = nn.BatchNorm1d(12)
        self.drop = nn.Dropout(0.3)
        self.last = nn.Linear(12, 3)

    def forward(self, x):
        return self.last(self.drop(torch.relu(self.norm(self.first(x)))))


def train(model, optimizer, steps=5):
    for _ in range(steps):
        x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


from torch.optim.lr_scheduler import LambdaLR, LRScheduler, ReduceLROnPlateau, SequentialLR, StepLR


class Halving(LRScheduler):
    def __init__(self, optimizer, every, last_epoch=-1):
        self.every = every
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * 0.5 ** (self.last_epoch // self.every) for base in self.base_lrs]

    def step(self, epoch=None):
        super().step() if epoch is None else super().step(epoch)


class Stepped(StepLR):
    def step(self):
        super().step()
        self.told = self.get_last_lr()


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
halving, stepped = Halving(optimizer, 2), Stepped(optimizer, 3)
both = SequentialLR(optimizer, [LambdaLR(optimizer, lambda n: 1 / (n + 1)), StepLR(optimizer, 1)], milestones=[2])
plateau = ReduceLROnPlateau(optimizer, patience=0)
for number in range(4):
    train(model, optimizer, steps=1)
    halving.step()
    stepped.step()
    both.step()
    plateau.step(1.0)
    print(halving.get_last_lr(), stepped.told, plateau.num_bad_epochs, optimizer.param_groups[0]["lr"], halving._step_count, both.last_epoch)
print(sorted(halving.state_dict()), sorted(plateau.state_dict()), sorted(vars(both)))
