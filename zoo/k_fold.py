"""Five-fold cross-validation: the folds are data sets, four of them joined for training and one held out, with a new model for each."""

import statistics

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset, random_split

FOLDS, EPOCHS = 5, 20


def train_one_epoch(model, loader, optimizer):
    model.train()
    running_loss = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        running_loss += loss.item() * len(x)
    return running_loss / len(loader.dataset)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    return sum(nn.functional.mse_loss(model(x), y, reduction="sum").item() for x, y in loader) / len(loader.dataset)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(600, 6)
    y = torch.sin(2 * x[:, :1]) + x[:, 1:2] * x[:, 2:3] + 0.1 * torch.randn(600, 1)
    folds = random_split(TensorDataset(x, y), [1 / FOLDS] * FOLDS)

    scores = []
    for held_out in range(FOLDS):
        rest = ConcatDataset([fold for number, fold in enumerate(folds) if number != held_out])
        train_loader = DataLoader(rest, batch_size=32, shuffle=True)
        valid_loader = DataLoader(folds[held_out], batch_size=120)
        model = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 1))
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        for _ in range(EPOCHS):
            train_loss = train_one_epoch(model, train_loader, optimizer)
        scores.append(evaluate(model, valid_loader))
        print(f"fold {held_out}: train {train_loss:.4f}, held out {scores[-1]:.4f}")
    print(f"mean {statistics.mean(scores):.4f}, spread {statistics.stdev(scores):.4f}")


if __name__ == "__main__":
    main()
