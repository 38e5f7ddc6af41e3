"""Train a small convolutional network on striped images, with augmentation and a one-cycle learning rate."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def make_images(count, generator):
    """Gratings of three frequencies in two directions, with a random phase and noise."""
    labels = torch.randint(0, 6, (count,), generator=generator)
    phase = 6.28 * torch.rand(count, 1, 1, generator=generator)
    axis = torch.linspace(0, 6.28, 16)
    wave = torch.sin((labels % 3 + 1).view(-1, 1, 1) * axis + phase).expand(count, 16, 16)
    wave = torch.where((labels >= 3).view(-1, 1, 1), wave.transpose(1, 2), wave)
    images = wave[:, None] + 0.8 * torch.randn(count, 3, 16, 16, generator=generator)
    return 0.5 + 0.2 * images, labels


CLASSES = ["wide across", "medium across", "narrow across", "wide along", "medium along", "narrow along"]


class StripeDataset(Dataset):
    def __init__(self, images, labels, transform):
        self.images, self.labels, self.transform = images, labels, transform
        self.class_to_idx = {name: number for number, name in enumerate(CLASSES)}
        self.names = [CLASSES[label] for label in labels.tolist()]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.class_to_idx[self.names[index]]


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean.view(-1, 1, 1), std.view(-1, 1, 1)

    def __call__(self, image):
        return (image - self.mean) / self.std


class Augment(Normalize):
    def __call__(self, image):
        image = super().__call__(image)
        if torch.rand(()) < 0.5:
            image = image.flip(-1)
        shift = torch.randint(-2, 3, (2,)).tolist()
        return image.roll(shift, dims=(1, 2))


class ConvNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d(2),
        )  # fmt: skip
        self.classifier = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, classes))

    def forward(self, images):
        return self.classifier(self.features(images))


def evaluate(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in loader:
            correct += (model(images).argmax(dim=1) == labels).sum().item()
    return correct / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch-size", type=int, default=64)
    args = parser.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(1)
    train_images, train_labels = make_images(1024, generator)
    test_images, test_labels = make_images(256, generator)
    mean, std = train_images.mean((0, 2, 3)), train_images.std((0, 2, 3))
    train_set = StripeDataset(train_images, train_labels, Augment(mean, std))
    test_set = StripeDataset(test_images, test_labels, Normalize(mean, std))
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, batch_size=128)

    model = ConvNet(classes=6)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, nesterov=True)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=0.1, epochs=args.epochs, steps_per_epoch=len(train_loader)
    )
    for epoch in range(args.epochs):
        model.train()
        running_loss = 0.0
        for images, labels in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
            running_loss += loss.item()
        accuracy = evaluate(model, test_loader)
        print(f"epoch {epoch + 1}: loss {running_loss / len(train_loader):.4f} test accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
