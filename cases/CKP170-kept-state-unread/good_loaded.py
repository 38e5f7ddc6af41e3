"""The best weights are loaded before the test."""

import copy

import torch
from torch import nn


def score_of(model, x, y):
    model.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(model(x), y).item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(64, 4)
    y = x.sum(1, keepdim=True)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best, best_state = float("inf"), None
    for epoch in range(6):
        for rows in range(0, 48, 16):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x[rows : rows + 16]), y[rows : rows + 16]).backward()
            optimizer.step()
        score = score_of(model, x[48:], y[48:])
        if best_state is None or (score < best and epoch < 4):
            best, best_state = score, copy.deepcopy(model.state_dict())
    model.load_state_dict(best_state)
    print(f"test {score_of(model, x, y):.3f}")


main()
