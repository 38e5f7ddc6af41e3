"""Averaged weights, an exponential moving average, update_bn and warm restarts."""
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


import copy

from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
averaged, moving = AveragedModel(model), AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
schedule = SWALR(optimizer, swa_lr=0.05, anneal_epochs=2)
teacher = copy.deepcopy(model).requires_grad_(False)
for _ in range(4):
    train(model, optimizer, steps=2)
    averaged.update_parameters(model)
    moving.update_parameters(model)
    schedule.step()
    with torch.no_grad():
        for slow, fast in zip(teacher.parameters(), model.parameters()):
            slow.lerp_(fast, 0.1)
update_bn([torch.randn(8, 6) for _ in range(3)], averaged)
print([sum(p.sum().item() for p in m.parameters()) for m in (averaged, moving, teacher)], averaged.n_averaged, optimizer.param_groups[0]["lr"])
print(averaged.module.norm.running_mean.sum().item(), averaged.training)
