"""A decay to zero, then a second phase with a schedule of its own; the first one has done its work."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)

x = torch.randn(320, 6)
loader = DataLoader(TensorDataset(x, (x[:, 0] > x[:, 1]).long()), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(6, 24), nn.GELU(), nn.Linear(24, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(scheduler, epochs):
    for _ in range(epochs):
        for a, b in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(a), b)
            loss.backward()
            optimizer.step()
            scheduler.step()
    print(f"loss {loss.item():.3f}")


train(torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=3 * len(loader)), epochs=3)
for group in optimizer.param_groups:
    group["lr"] = group["initial_lr"] = 0.02
train(torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.99), epochs=3)
