"""A block that calls its dropout and normalisation and keeps neither result."""

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 32), nn.Linear(32, 3)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        x = self.first(x)
        F.relu(x)  #~ MOD110
        self.drop(x)  #~ MOD110
        return self.second(x)


def train(model, optimizer, steps):
    for _ in range(steps):
        x = torch.randn(32, 8)
        y = x[:, :3].argmax(1)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = Block()
    train(net, torch.optim.SGD(net.parameters(), lr=0.1), 40)
