"""Classify noisy spirals; the rate is cut when the validation accuracy stops rising, and training ends when it has been cut enough."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def spirals(per_arm, arms=3, noise=0.15):
    points, labels = [], []
    for arm in range(arms):
        t = torch.linspace(0.2, 1.0, per_arm)
        angle = 4.0 * t + 2 * math.pi * arm / arms + noise * torch.randn(per_arm)
        points.append(torch.stack([t * angle.cos(), t * angle.sin()], dim=1))
        labels.append(torch.full((per_arm,), arm))
    return torch.cat(points), torch.cat(labels)


class Net(nn.Module):
    def __init__(self, width=48, arms=3):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(2, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Dropout(0.1))
        self.head = nn.Linear(width, arms)

    def forward(self, x):
        return self.head(self.inner(x))


def train_one_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        total += loss.item() * len(x)
    return total / len(loader.dataset)


@torch.no_grad()
def accuracy_of(model, loader):
    model.eval()
    correct = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return correct / len(loader.dataset)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train_set, valid_set = random_split(TensorDataset(*spirals(300)), [720, 180])
    train_loader = DataLoader(train_set, batch_size=48, shuffle=True)
    valid_loader = DataLoader(valid_set, batch_size=180)

    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", factor=0.3, patience=2)

    best = 0.0
    for epoch in range(18):
        loss = train_one_epoch(model, train_loader, optimizer)
        val_accuracy = accuracy_of(model, valid_loader)
        scheduler.step(val_accuracy)
        best = max(best, val_accuracy)
        rate = optimizer.param_groups[0]["lr"]
        print(f"epoch {epoch + 1}: loss {loss:.4f}, accuracy {val_accuracy:.3f}, rate {rate:.5f}")
        if rate < 1e-4:
            break
    print(f"best accuracy {best:.3f}")


if __name__ == "__main__":
    main()
