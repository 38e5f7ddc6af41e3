"""Train a small CNN on scikit-learn's handwritten digits: `digits_mistakes.py`, mended."""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, Dataset

EPOCHS = 10
BATCH_SIZE = 64
LEARNING_RATE = 0.05


class Digits(Dataset):
    """Images of 8 x 8 grey pixels with the digit they show."""

    def __init__(self, images, labels, mean, std):
        self.images = torch.tensor((images - mean) / std, dtype=torch.float32).unsqueeze(1)
        self.labels = torch.tensor(labels, dtype=torch.long)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


class Block(nn.Module):
    """Convolution, batch normalisation and ReLU."""

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)))


class DigitNet(nn.Module):
    """Two stages of convolution and a classifier."""

    def __init__(self, num_classes=10):
        super().__init__()
        self.features = nn.Sequential(Block(1, 16), Block(16, 16), nn.MaxPool2d(2), Block(16, 32), nn.MaxPool2d(2))
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(32 * 2 * 2, 64)
        self.fc2 = nn.Linear(64, num_classes)

    def forward(self, x):
        x = self.features(x).flatten(1)
        x = F.relu(self.fc1(self.dropout(x)))
        return self.fc2(self.dropout(x))


def make_loaders():
    """Split the digits into a training and a validation set that share no image."""
    digits = load_digits()
    train_images, val_images, train_labels, val_labels = train_test_split(
        digits.images, digits.target, test_size=0.25, stratify=digits.target, random_state=0
    )
    mean, std = train_images.mean(), train_images.std()
    train_set = Digits(train_images, train_labels, mean, std)
    val_set = Digits(val_images, val_labels, mean, std)
    return DataLoader(train_set, batch_size=BATCH_SIZE, shuffle=True), DataLoader(val_set, batch_size=256)


def train_one_epoch(model, loader, criterion, optimizer):
    """Go once through the training set and return the mean loss."""
    model.train()
    total = 0.0
    for images, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
    return total / len(loader.dataset)


def evaluate(model, loader):
    """Return the share of images that are classified correctly."""
    model.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in loader:
            correct += (model(images).argmax(dim=1) == labels).sum().item()
    return correct / len(loader.dataset)


def main():
    torch.manual_seed(0)
    train_loader, val_loader = make_loaders()
    model = DigitNet()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)

    for epoch in range(EPOCHS):
        loss = train_one_epoch(model, train_loader, criterion, optimizer)
        scheduler.step()
        accuracy = evaluate(model, val_loader)
        print(f"epoch {epoch + 1:2d}  loss {loss:.4f}  val accuracy {accuracy:.1%}")
    print(f"final accuracy: {accuracy:.1%}")


if __name__ == "__main__":
    main()
