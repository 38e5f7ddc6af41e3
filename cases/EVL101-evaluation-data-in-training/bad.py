"""The last quarter is held out for validation, but the training set was never cut."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def accuracy(model, loader):
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return right / len(loader.dataset)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(320, 100)
    Y = torch.randint(0, 2, (320,))
    train_x, train_y = X, Y  #~ EVL101
    val_x, val_y = X[240:], Y[240:]  #~? EVL101
    train_loader = DataLoader(TensorDataset(train_x, train_y), batch_size=40, shuffle=True)  #~? EVL101
    val_loader = DataLoader(TensorDataset(val_x, val_y), batch_size=40)  #~? EVL101
    model = nn.Sequential(nn.Linear(100, 96), nn.ReLU(), nn.Linear(96, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for epoch in range(8):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        score = accuracy(model, val_loader)
    print(f"validation accuracy {score:.3f} on labels that are pure chance")


main()
