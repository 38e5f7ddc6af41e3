"""A small image classifier with BatchNorm is trained with one image per batch."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)
        self.norm = nn.BatchNorm2d(8)  #~? MOD104
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc(torch.relu(self.norm(self.conv(x))).mean(dim=(2, 3)))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    Y = torch.arange(64) % 2
    X = torch.randn(64, 1, 8, 8) * 0.4 + Y.view(-1, 1, 1, 1) - 0.5
    loader = DataLoader(TensorDataset(X, Y), batch_size=1, shuffle=True)  #~ MOD104
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    epochs, losses = 1, []
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    print(f"mean loss of the last sixteen steps {sum(losses[-16:]) / 16:.3f}")


main()
