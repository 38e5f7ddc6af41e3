"""Class weights are the shares of the classes, where their inverse was meant."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_data(count):
    y = torch.multinomial(torch.tensor([0.75, 0.18, 0.07]), count, replacement=True)
    x = torch.randn(count, 8)
    x[:, :3] += 1.5 * nn.functional.one_hot(y, 3)
    return x, y


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x, y = make_data(900)
    counts = torch.bincount(y).float()
    weights = counts / counts.sum()  #~ LOS121
    criterion = nn.CrossEntropyLoss(weight=weights)
    loader = DataLoader(TensorDataset(x, y), batch_size=60, shuffle=True)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(3):
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
