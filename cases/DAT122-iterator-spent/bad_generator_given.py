"""A generator of batches is handed to a function that trains for one epoch."""

import torch
from torch import nn

torch.manual_seed(0)


def batches(count):
    for _ in range(count):
        x = torch.randn(16, 6)
        yield x, x.sum(1, keepdim=True)


def train_epoch(model, optimizer, data):
    for number, (x, y) in enumerate(data):  #~ DAT122
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        if number % 10 == 0:
            print(f"loss {loss.item():.3f}")


def main():
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    stream = batches(20)
    epochs = 5
    for epoch in range(epochs):
        model.train()
        train_epoch(model, optimizer, stream)


main()
