"""Validation after each epoch switches the model to evaluation mode, and nothing switches it back."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_one_epoch(model, train_loader, optimizer, criterion):
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()


@torch.no_grad()
def validate(model, loader):
    model.eval()  #~ MOD101
    return sum((model(x).argmax(1) == y).sum().item() for x, y in loader) / len(loader.dataset)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(400, 16) * 3 + 4
    Y = (X @ torch.randn(16, 4)).argmax(1)
    train = DataLoader(TensorDataset(X[:240], Y[:240]), batch_size=24, shuffle=True)
    held_out = DataLoader(TensorDataset(X[240:], Y[240:]), batch_size=80)
    model = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    criterion = nn.CrossEntropyLoss()
    model.train()
    for _ in range(6):
        train_one_epoch(model, train, optimizer, criterion)
        accuracy = validate(model, held_out)
    print(f"validation accuracy {accuracy:.3f}, bn mean {model[1].running_mean.abs().mean():.2f}")


main()
