"""A warm-up and a cosine in one function, in fractions of epochs, stepped per batch."""

import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)

x = torch.randn(320, 6)
loader = DataLoader(TensorDataset(x, (x[:, 0] > x[:, 1]).long()), batch_size=32, shuffle=True)
epochs, warmup_epochs = 6, 1.5
body, head = nn.Linear(6, 24), nn.Linear(24, 2)
optimizer = torch.optim.SGD([{"params": body.parameters(), "lr": 0.02}, {"params": head.parameters()}], lr=0.1)


def factor(step):
    epoch = step / len(loader)
    if epoch < warmup_epochs:
        return (step + 1) / (warmup_epochs * len(loader))
    return 0.5 * (1 + math.cos(math.pi * (epoch - warmup_epochs) / (epochs - warmup_epochs)))


scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
for epoch in range(epochs):
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(head(body(a).relu()), b)
        loss.backward()
        optimizer.step()
        scheduler.step()
print(f"loss {loss.item():.3f} at rate {scheduler.get_last_lr()[1]:.4f}")
