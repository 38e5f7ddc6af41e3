"""The last batch is smaller than the others but holds three samples, which BatchNorm can bear."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(163, 6)
    Y = (X[:, :2].sum(1) > 0).long()
    loader = DataLoader(TensorDataset(X, Y), batch_size=20, shuffle=True)
    net = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 2))
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(5):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            opt.step()
    print(f"loss {loss.item():.3f}")


main()
