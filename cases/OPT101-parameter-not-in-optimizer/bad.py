"""Fine-tunes a pretrained classifier on a new label set after giving it a new output layer."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(12, 32), nn.Tanh())
        self.fc = nn.Linear(32, classes)

    def forward(self, x):
        return self.fc(self.trunk(x))


def prepare(classes):
    net = Classifier(50)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)  #~? OPT101
    net.fc = nn.Linear(32, classes)  #~ OPT101
    return net, optimizer


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    inputs = torch.randn(320, 12)
    labels = (inputs @ torch.randn(12, 4)).argmax(dim=1)
    loader = DataLoader(TensorDataset(inputs, labels), batch_size=32, shuffle=True)
    net, optimizer = prepare(4)
    for _ in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(net(x), y).backward()
            optimizer.step()
    with torch.no_grad():
        print(f"accuracy {(net(inputs).argmax(1) == labels).float().mean():.3f}")


main()
