"""Segment leaves with a small encoder and decoder; image and mask go through one joint transform, colour through one of the image alone."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset

torch.manual_seed(5)
random.seed(5)
torch.set_num_threads(1)


class JointTransform:
    """Turns an image and its mask by the same draw."""

    def __call__(self, image, mask):
        if random.random() < 0.5:
            image, mask = torch.flip(image, [2]), torch.flip(mask, [1])
        if random.random() < 0.5:
            image, mask = image.transpose(1, 2), mask.transpose(0, 1)
        return image, mask


def jitter(image):
    return (image * random.uniform(0.8, 1.2) + random.uniform(-0.1, 0.1)).clamp(0, 1)


class Leaves(Dataset):
    """Ellipses at an angle on a grainy ground, with a stalk to one side."""

    def __init__(self, count, side=20, joint=None, colour=None):
        generator = torch.Generator().manual_seed(11)
        rows, columns = torch.meshgrid(torch.linspace(-1, 1, side), torch.linspace(-1, 1, side), indexing="ij")
        self.images, self.masks = [], []
        for _ in range(count):
            y, x, angle, length = torch.rand(4, generator=generator)
            along = (columns - 0.8 * x + 0.4) * torch.cos(3 * angle) + (rows - 0.8 * y + 0.4) * torch.sin(3 * angle)
            across = (rows - 0.8 * y + 0.4) * torch.cos(3 * angle) - (columns - 0.8 * x + 0.4) * torch.sin(3 * angle)
            leaf = (along / (0.4 + 0.3 * length)) ** 2 + (across / 0.25) ** 2 < 1
            stalk = (across.abs() < 0.08) & (along > 0)
            mask = torch.where(leaf, 1, torch.where(stalk, 2, 0))
            ground = torch.tensor([0.45, 0.35, 0.3]).view(3, 1, 1)
            paint = torch.tensor([[0.45, 0.35, 0.3], [0.2, 0.6, 0.2], [0.4, 0.5, 0.25]])[mask].permute(2, 0, 1)
            noise = 0.08 * torch.randn(3, side, side, generator=generator)
            self.images.append((0.2 * ground + 0.8 * paint + noise).clamp(0, 1))
            self.masks.append(mask)
        self.joint, self.colour = joint, colour

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, mask = self.images[index], self.masks[index]
        if self.joint is not None:
            image, mask = self.joint(image, mask)
        if self.colour is not None:
            image = self.colour(image)
        return image, mask


def block(inside, outside):
    return nn.Sequential(nn.Conv2d(inside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU())


class Segmenter(nn.Module):
    def __init__(self, width=12, classes=3):
        super().__init__()
        self.first, self.second = block(3, width), block(width, 2 * width)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.last = nn.Sequential(block(2 * width, width), nn.Conv2d(width, classes, 1))

    def forward(self, images):
        fine = self.first(images)
        coarse = self.second(nn.functional.max_pool2d(fine, 2))
        return self.last(torch.cat([fine, self.up(coarse)], 1))


def main():
    training = Subset(Leaves(200, joint=JointTransform(), colour=jitter), range(160))
    held = Subset(Leaves(200), range(160, 200))
    model = Segmenter()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for epoch in range(6):
        model.train()
        for images, masks in DataLoader(training, batch_size=16, shuffle=True):
            loss = nn.functional.cross_entropy(model(images), masks)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    right = count = 0
    with torch.no_grad():
        for images, masks in DataLoader(held, batch_size=40):
            right += (model(images).argmax(1) == masks).sum().item()
            count += masks.numel()
    print(f"loss {loss.item():.3f}, pixels told rightly {right / count:.3f}")


if __name__ == "__main__":
    main()
