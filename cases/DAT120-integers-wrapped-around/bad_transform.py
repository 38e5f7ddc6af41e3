"""A transform brightens tensors of 8-bit pixels in a dataset that worker processes read."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Brighten:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, image):
        brighter = image * self.factor + 10  #~ DAT120
        return brighter.float() / 255


class Images(Dataset):
    def __init__(self, images, labels, transform=None):
        self.images, self.labels, self.transform = images, labels, transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, label = self.images[index], self.labels[index]
        if self.transform:
            image = self.transform(image)
        return image, label


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    images = torch.randint(0, 256, (128, 3, 8, 8), dtype=torch.uint8)
    labels = images[:, 0].float().mean((1, 2))
    loader = DataLoader(Images(images, labels, Brighten(2)), batch_size=16, shuffle=True, num_workers=2)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    for epoch in range(2):
        for image, label in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(image).squeeze(1), label)
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
