"""The second block of a small convolutional network takes what the first was given, so the first is passed over."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def block(inner, outer):
    return nn.Sequential(nn.Conv1d(inner, outer, 3, padding=1), nn.BatchNorm1d(outer), nn.ReLU())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(3, 8, 3, padding=1)
        self.first, self.second = block(8, 8), block(8, 8)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        h = self.stem(x)
        if self.training:
            h = nn.functional.dropout(h, 0.1)
        out = self.first(h)  #~ MOD114
        out = self.second(h)
        return self.head(out.mean(2))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(240, 3, 16)
    loader = DataLoader(TensorDataset(x, x.mean(2).argmax(1)), batch_size=24, shuffle=True)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for _ in range(3):
        for batch, label in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(batch), label)
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
