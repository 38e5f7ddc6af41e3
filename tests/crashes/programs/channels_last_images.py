#~ crash: SHP201
#~ edit: permute(0, 3, 1, 2)
"""Train on numpy images, stored height x width x channels."""
import numpy as np
import torch
import torch.nn as nn


class Photos(torch.utils.data.Dataset):
    def __init__(self, n=64):
        rng = np.random.default_rng(3)
        self.pixels = rng.random((n, 32, 32, 3), dtype=np.float32)
        self.labels = rng.integers(0, 5, n)

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, i):
        return torch.from_numpy(self.pixels[i]), int(self.labels[i])


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU())  #~ maker
        self.classifier = nn.Linear(16, 5)

    def forward(self, x):
        x = self.features(x)  #~ fails
        return self.classifier(x.mean(dim=(2, 3)))


def main():
    torch.manual_seed(3)
    net = SmallNet()
    sgd = torch.optim.SGD(net.parameters(), lr=0.05)
    data = torch.utils.data.DataLoader(Photos(), batch_size=16)  #~ maker
    for images, labels in data:
        sgd.zero_grad()
        out = net(images)
        nn.functional.cross_entropy(out, labels).backward()
        sgd.step()
    print("trained")


main()
