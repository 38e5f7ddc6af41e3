"""Arrays are made wider before they are computed with, and a name that once held bytes is used again for something else."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)
raw = rng.integers(0, 256, (640, 8, 8)).astype(np.uint8)
y = torch.from_numpy((raw.mean((1, 2)) > 127).astype(np.int64))
signed = raw.astype(np.int16) - 128
mean = raw.mean()
centred = (raw - mean) / 128.0
x = torch.from_numpy(centred.astype(np.float32)).flatten(1)
inverted = 255 - raw
halved = raw // 2 + 100
one_less = y.byte() + 1
raw = signed.astype(np.uint8)
model = nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for begin in range(0, len(x), 64):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[begin : begin + 64]), y[begin : begin + 64])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
