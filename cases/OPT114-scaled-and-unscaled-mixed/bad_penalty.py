"""A penalty on the weights is differentiated first and not scaled; only the main loss is."""

import torch
from torch import nn


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu")
    for step in range(30):
        x = torch.randn(32, 8)
        optimizer.zero_grad()
        penalty = sum(weight.abs().sum() for weight in model.parameters())
        (1e-3 * penalty).backward()  #~ OPT114
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


main()
