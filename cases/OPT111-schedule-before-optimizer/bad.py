"""The schedule is stepped at the head of each iteration, before the optimizer (torch warns once)."""
import torch
from torch import nn


def train(model, data, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    table = [1.0] * 10 + [0.1] * (steps - 11) + [0.0]
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: table[min(i, steps - 1)])
    x, y = data
    for _ in range(steps):
        idx = torch.randint(0, len(x), (32,))
        scheduler.step()  #~ OPT111
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
        loss.backward()
        optimizer.step()
    return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
Y = (X @ torch.randn(8, 3)).argmax(1)
print(f"loss {train(nn.Linear(8, 3), (X, Y), 40):.4f}")
