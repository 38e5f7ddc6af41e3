"""Trains 240 steps with dropout, augmentation in two workers, AdamW, a schedule, clipping and evaluation, and prints every loss."""

import random

import numpy
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

EPOCHS, SIZE, BATCH = 10, 384, 16


class Images(Dataset):
    def __init__(self, count, seed, augmented):
        generator = torch.Generator().manual_seed(seed)
        self.images = torch.randn(count, 1, 8, 8, generator=generator)
        self.labels = (self.images.mean((1, 2, 3)) > 0).long()
        self.augmented = augmented

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = self.images[index]
        if self.augmented:
            image = image.flip(-1) if random.random() < 0.5 else image
            image = image + 0.1 * torch.randn(image.shape) + float(numpy.random.normal(0, 0.05))
        return image, self.labels[index]


def seed_worker(number):
    seed = torch.initial_seed() % 2**32
    random.seed(seed)
    numpy.random.seed(seed)


def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        right = sum((model(images).argmax(1) == labels).sum().item() for images, labels in loader)
    model.train()
    return right


def main():
    random.seed(0)
    numpy.random.seed(0)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(128, 2),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS * SIZE // BATCH)
    train = DataLoader(Images(SIZE, 1, True), batch_size=BATCH, shuffle=True, num_workers=2, worker_init_fn=seed_worker)
    test = DataLoader(Images(64, 2, False), batch_size=32)
    for epoch in range(EPOCHS):
        for images, labels in train:
            loss = nn.functional.cross_entropy(model(images), labels, label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            print(loss.item(), norm.item())
        print(epoch, evaluate(model, test), schedule.get_last_lr())


if __name__ == "__main__":
    main()
