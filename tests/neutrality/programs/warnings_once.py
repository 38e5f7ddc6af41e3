"""Warnings under the default filter: shown once for each place in the program, on stderr."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

for rate in (0.1, 0.2):
    optimizer = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    schedule.step()
optimizer = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
schedule.step()
loss = nn.functional.mse_loss(nn.Linear(2, 1)(torch.ones(3, 2)), torch.ones(3))
loss.backward()
print(nn.utils.clip_grad_norm_(torch.nn.Linear(2, 2).parameters(), 1.0))
