"""A script centres all of its 8-bit images at once, before it trains on slices of them, and mirrors the signal of a sensor in 16 bits."""
import numpy as np
import torch
from torch import nn


def train(model, x, y):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for begin in range(0, len(x), 64):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x[begin : begin + 64]), y[begin : begin + 64])
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)
raw = rng.integers(0, 256, (640, 8, 8)).astype(np.uint8)
y = torch.from_numpy((raw.mean((1, 2)) > 127).astype(np.int64))
centred = (raw - 128) / 128.0  #~ DAT120
x = torch.from_numpy(centred.astype(np.float32)).flatten(1)
train(nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 2)), x, y)
