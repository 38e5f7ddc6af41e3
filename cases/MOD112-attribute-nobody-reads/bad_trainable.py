"""Keras' word for freezing is set on each layer of a function's model."""

import torch
from torch import nn


def freeze(layers):
    for layer in layers:
        layer.trainable = False  #~ MOD112


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    freeze(model[:2])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(20):
        x = torch.randn(32, 8)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()


main()
