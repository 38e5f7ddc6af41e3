"""A helper steps the optimizer, and so does the loop that calls it."""
import torch
from torch import nn


def forward_backward(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()  #~? OPT108
    return loss.item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(240, 30)
    Y = X @ torch.randn(30, 1)
    model = nn.Linear(30, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.24)
    for epoch in range(6):
        for idx in torch.randperm(240).split(24):
            loss = forward_backward(model, optimizer, X[idx], Y[idx])
            optimizer.step()  #~ OPT108
    print(f"loss {loss:.3g}")


main()
