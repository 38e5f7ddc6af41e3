"""A function mixes the batch and returns both targets, and the loss of the reference implementation takes them in the other order."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
random.seed(0)
torch.set_num_threads(1)


def mixup(inputs, targets, alpha=1.0):
    lam = random.betavariate(alpha, alpha)
    index = torch.randperm(inputs.size(0))
    return lam * inputs + (1 - lam) * inputs[index, :], targets[index], targets, lam


def mixup_criterion(criterion, predicted, first, second, lam):
    return lam * criterion(predicted, first) + (1 - lam) * criterion(predicted, second)  #~ LOS126


def main():
    targets = torch.randint(0, 5, (240,))
    images = torch.rand(240, 1, 8, 8) + targets.view(-1, 1, 1, 1) / 3
    model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for _ in range(4):
        for inputs, wanted in DataLoader(TensorDataset(images, targets), batch_size=24, shuffle=True):
            inputs, first, second, lam = mixup(inputs, wanted)
            loss = mixup_criterion(criterion, model(inputs), first, second, lam)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"{loss.item():.3f}")


main()
