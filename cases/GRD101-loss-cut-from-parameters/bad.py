"""A loss computed in numpy and wrapped again so that backward() does not complain."""
import numpy as np
import torch
from torch import nn


def huber_loss(out, target):
    predicted = out.detach().numpy()  #~ GRD101
    error = np.abs(predicted - target.numpy())
    huber = np.where(error < 1.0, 0.5 * error**2, error - 0.5)
    return torch.tensor(huber.mean(), requires_grad=True)  #~? GRD101


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x = torch.randn(256, 4)
    y = x[:, :1] - 3 * x[:, 2:3]
    for epoch in range(6):
        for idx in torch.randperm(256).split(32):
            optimizer.zero_grad()
            loss = huber_loss(model(x[idx]), y[idx])
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
