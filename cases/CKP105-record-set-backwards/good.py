"""The best state is that of the smallest loss."""
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def validate(model, x, y):
    model.eval()
    with torch.no_grad():
        return nn.functional.cross_entropy(model(x), y).item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(400, 6)
    y = (x[:, 0] + x[:, 1] > 0).long()
    loader = DataLoader(TensorDataset(x[:300], y[:300]), batch_size=30, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    best, best_state = float("inf"), None
    for epoch in range(6):
        model.train()
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(xb), yb).backward()
            optimizer.step()
        val_loss = validate(model, x[300:], y[300:])
        if val_loss < best:
            best = val_loss
            best_state = copy.deepcopy(model.state_dict())
    model.load_state_dict(best_state)
    print(f"loss {validate(model, x[300:], y[300:]):.3f}")


main()
