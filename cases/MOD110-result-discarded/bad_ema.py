"""A moving average of the weights that is written to temporary tensors."""

import copy

import torch
from torch import nn


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Linear(6, 1)
    average = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(40):
        x = torch.randn(64, 6)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        for slow, fast in zip(average.parameters(), model.parameters()):
            slow.data.mul(0.9).add_(fast.data, alpha=0.1)  #~ MOD110
    print(average.weight.sum() > 0)


main()
