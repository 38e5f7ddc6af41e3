"""A function that borrows an optimizer for `zero_grad` alone and moves the parameters itself, past their versions."""

import torch
from torch import nn
from torch.nn import functional as F


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(40):
        x = torch.randn(32, 6)
        optimizer.zero_grad()
        F.mse_loss(model(x), x[:, :1] - x[:, 1:2]).backward()
        for parameter in model.parameters():
            parameter.data -= optimizer.param_groups[0]["lr"] * parameter.grad


if __name__ == "__main__":
    main()
