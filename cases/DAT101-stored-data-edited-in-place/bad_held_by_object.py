"""Each sample is an object that holds its points, and turning them by a random angle is done where they lie."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Cloud:
    def __init__(self, label):
        self.label = label
        self.points = torch.randn(9, 2) * torch.tensor([1.0, 1.0 + label])


class Clouds(Dataset):
    def __init__(self, count):
        self.clouds = [Cloud(number % 3) for number in range(count)]

    def __len__(self):
        return len(self.clouds)

    def __getitem__(self, number):
        cloud = self.clouds[number]
        cloud.points *= 1 + 0.2 * torch.randn(1, 2)  #~ DAT101
        return cloud.points, cloud.label


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Clouds(150), batch_size=15, shuffle=True)
    net = nn.Sequential(nn.Flatten(), nn.Linear(18, 24), nn.ReLU(), nn.Linear(24, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for epoch in range(4):
        for points, label in loader:
            loss = nn.functional.cross_entropy(net(points), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.3f}")


main()
