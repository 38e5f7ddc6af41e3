"""A root at zero and a missing value in late batches, a scaler that skips every step, and losses that are kept with their graphs."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Distance(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.1), nn.Linear(8, 3))

    def forward(self, x, gate):
        return torch.sqrt((self.body(x).pow(2) * gate).sum(1))


class Meter:
    def __init__(self):
        self.total = 0.0


def train(x, gate, scaler=None):
    model = Distance()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    meter, losses = Meter(), []
    for rows in torch.arange(len(x)).split(10):
        loss = (model(x[rows], gate[rows]) - 1).pow(2).mean()
        optimizer.zero_grad()
        if scaler is None:
            loss.backward()
            optimizer.step()
        else:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        losses.append(loss)
        meter.total += loss
    print(meter.total.item(), sum(losses).item())


table, gates = torch.randn(300, 4), torch.ones(300, 1)
gates[205] = 0
train(table, gates)
gates[:] = 0
train(table, gates, torch.amp.GradScaler("cpu"))
gates[:] = 1
table[215, 1] = float("nan")
train(table, gates)
