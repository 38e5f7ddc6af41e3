"""A helper that seeds everything is called in the training step, so that dropout drops the same units each time."""
import random

import torch
from torch import nn


def seed_everything(seed):
    random.seed(seed)
    torch.manual_seed(seed)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(10, 32)
        self.drop = nn.Dropout(0.5)
        self.out = nn.Linear(32, 1)

    def forward(self, x):
        return self.out(self.drop(torch.relu(self.hidden(x))))


def train_step(model, optimizer, x, y):
    seed_everything(1234)  #~ RNG102
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    torch.set_num_threads(1)
    seed_everything(0)
    X = torch.randn(320, 10)
    Y = X.sum(1, keepdim=True)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(4):
        for begin in range(0, 320, 32):
            loss = train_step(model, optimizer, X[begin : begin + 32], Y[begin : begin + 32])
        print(epoch, loss)


main()
