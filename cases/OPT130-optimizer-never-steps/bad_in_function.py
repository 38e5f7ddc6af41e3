"""All that is trained lives in a function, which has returned when the run ends; the step was lost in a merge."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(320, 6)
    y = (x[:, 0] > x[:, 1]).long()
    loader = DataLoader(TensorDataset(x[:256], y[:256]), batch_size=32, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)  #~ OPT130
    criterion = nn.CrossEntropyLoss()
    for epoch in range(4):
        model.train()
        for inputs, labels in loader:
            optimizer.zero_grad()
            criterion(model(inputs), labels).backward()
        print(f"epoch {epoch}: accuracy {evaluate(model, x[256:], y[256:]):.2f}")


if __name__ == "__main__":
    main()
