"""A range test raises the rate until the loss has grown by a factor, then puts the weights back and trains."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
x = torch.randn(512, 6)
y = x.sum(1, keepdim=True)


def step(optimizer):
    rows = torch.randint(0, 512, (64,))
    loss = nn.functional.mse_loss(net(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


kept = copy.deepcopy(net.state_dict())
rates, losses = [], []
optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
while not losses or losses[-1] < 4 * losses[0]:
    losses.append(step(optimizer))
    rates.append(optimizer.param_groups[0]["lr"])
    optimizer.param_groups[0]["lr"] *= 1.3
net.load_state_dict(kept)
best = rates[min(range(len(losses)), key=losses.__getitem__)]
optimizer = torch.optim.SGD(net.parameters(), lr=best / 3)
for _ in range(60):
    loss = step(optimizer)
print(f"rate {best / 3:.4f}, loss {loss:.3f}")
