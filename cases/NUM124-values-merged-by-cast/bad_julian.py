"""Brightness of a star by Julian date, a list of Python's numbers that torch takes for single precision."""

import math
import random

import torch
from torch import nn

random.seed(1)
torch.manual_seed(1)
torch.set_num_threads(1)


def main():
    dates = [2_460_310.5 + random.random() * 4 for _ in range(600)]
    brightness = torch.tensor([math.sin(2 * math.pi * (date - 2_460_310.5) / 0.2) for date in dates])
    nights = torch.tensor(dates)  #~ NUM124
    angle = 2 * math.pi * (nights - 2_460_310.5) / 0.2
    curve = torch.stack([angle.sin(), angle.cos()], dim=1)
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for start in range(0, 600, 30):
        optimizer.zero_grad()
        guess = net(curve[start : start + 30])
        nn.functional.mse_loss(guess[:, 0], brightness[start : start + 30]).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
