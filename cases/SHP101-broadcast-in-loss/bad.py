"""House-price style regression with a hand-written mean squared error."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_epoch(net, loader, optimizer):
    total = 0.0
    for x, y in loader:
        prediction = net(x)
        loss = ((prediction - y) ** 2).mean()  #~ SHP101
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rooms = torch.randn(320, 7)
    price = rooms @ torch.randn(7) + 0.05 * torch.randn(320)
    loader = DataLoader(TensorDataset(rooms, price), batch_size=32, shuffle=True)
    net = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(6):
        train_epoch(net, loader, optimizer)
    with torch.no_grad():
        error = (net(rooms).flatten() - price).pow(2).mean()
    print(f"r2 {1 - (error / price.var()).item():.3f}")


main()
