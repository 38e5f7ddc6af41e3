"""A function sets the rate of each group under the wrong key."""

import torch
from torch import nn


def adjust(optimizer, epoch):
    rate = 0.1 * 0.5**epoch
    for group in optimizer.param_groups:
        group["learning_rate"] = rate  #~ OPT116
    return rate


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
    for epoch in range(1, 6):
        adjust(optimizer, epoch)
        for _ in range(10):
            x = torch.randn(32, 8)
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
            optimizer.step()


main()
