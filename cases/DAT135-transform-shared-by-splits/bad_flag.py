"""Sensor rows with noise while `augment` is set, in a training script with functions."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset


class Readings(Dataset):
    def __init__(self, rows, augment=True):
        self.values = torch.randn(rows, 6)
        self.targets = self.values.sum(1, keepdim=True)
        self.augment = augment

    def __len__(self):
        return len(self.values)

    def _row(self, index):
        row = self.values[index]
        return row + 0.1 * torch.randn_like(row) if self.augment else row

    def __getitem__(self, index):
        return self._row(index), self.targets[index]


def make_loaders():
    readings = Readings(200)
    order = torch.randperm(200).tolist()
    train = DataLoader(Subset(readings, order[:150]), batch_size=25, shuffle=True)
    test_rows = Subset(readings, order[150:])
    test_rows.dataset.augment = False  #~ DAT135
    test = DataLoader(test_rows, batch_size=50)
    return train, test


def fit(model, train, test):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(4):
        for x, y in train:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            print(sum(nn.functional.mse_loss(model(x), y).item() for x, y in test))


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    fit(nn.Linear(6, 1), *make_loaders())
