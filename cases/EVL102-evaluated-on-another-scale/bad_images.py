"""A transform that scales and normalises is given to the training set alone."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, count, seed, transform=None):
        generator = torch.Generator().manual_seed(seed)
        self.pictures = torch.randint(0, 256, (count, 1, 8, 8), generator=generator).float()
        self.labels = (self.pictures[:, 0, :4].mean((1, 2)) > self.pictures[:, 0, 4:].mean((1, 2))).long()
        self.transform = transform

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        picture = self.pictures[index]
        return (picture if self.transform is None else self.transform(picture)), self.labels[index]


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    right = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)  #~ EVL102
    model.train()
    return right / len(loader.dataset)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train = DataLoader(Pictures(256, 0, lambda picture: (picture / 255 - 0.5) / 0.29), batch_size=32, shuffle=True)
    test = DataLoader(Pictures(128, 1), batch_size=64)
    model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(3):
        for x, y in train:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        print(epoch, accuracy(model, test))


main()
