"""Find the parcel on a belt and tell what it is: one network with a box and a class, pictures and boxes mirrored by one draw."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(3)
random.seed(3)
torch.set_num_threads(1)
SIDE = 24
KINDS = {"bag": 0, "crate": 1, "roll": 2}


class Belt(Dataset):
    """One parcel a picture; its box is left, top, right and bottom in pixels."""

    def __init__(self, count, augment, seed):
        draw = torch.Generator().manual_seed(seed)
        self.augment, self.class_to_idx = augment, KINDS
        kinds = torch.randint(0, 3, (count,), generator=draw).tolist()
        self.labels = [list(KINDS)[kind] for kind in kinds]
        sizes = torch.randint(5, 10, (count, 2), generator=draw)
        starts = (torch.rand(count, 2, generator=draw) * (SIDE - sizes)).long()
        self.boxes = torch.cat([starts, starts + sizes], 1).float()
        self.pictures = 0.15 * torch.randn(count, 3, SIDE, SIDE, generator=draw)
        for picture, kind, (left, top, right, bottom) in zip(self.pictures, kinds, self.boxes.int().tolist(), strict=True):
            picture[kind, top:bottom, left:right] += 1

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        picture, box = self.pictures[index], self.boxes[index]
        if self.augment and random.random() < 0.5:
            picture = picture.flip(2)
            box = torch.stack([SIDE - box[2], box[1], SIDE - box[0], box[3]])
        return picture, box, self.class_to_idx[self.labels[index]]


class Detector(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(width * 36, 64),
            nn.ReLU(),
        )
        self.box, self.kind = nn.Linear(64, 4), nn.Linear(64, 3)

    def forward(self, pictures):
        hidden = self.trunk(pictures)
        return self.box(hidden), self.kind(hidden)


def overlap(first, second):
    """Intersection over union of boxes, row by row."""
    low, high = torch.maximum(first[:, :2], second[:, :2]), torch.minimum(first[:, 2:], second[:, 2:])
    common = (high - low).clamp(min=0).prod(1)
    return common / ((first[:, 2:] - first[:, :2]).prod(1) + (second[:, 2:] - second[:, :2]).prod(1) - common)


def main():
    train = DataLoader(Belt(320, True, seed=1), batch_size=20, shuffle=True)
    held = DataLoader(Belt(80, False, seed=2), batch_size=40)
    model = Detector()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(6):
        model.train()
        for pictures, boxes, kinds in train:
            told, logits = model(pictures)
            loss = nn.functional.smooth_l1_loss(told, boxes / SIDE) + 0.2 * nn.functional.cross_entropy(logits, kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    right, overlaps = 0, []
    with torch.no_grad():
        for pictures, boxes, kinds in held:
            told, logits = model(pictures)
            right += (logits.argmax(1) == kinds).sum().item()
            overlaps.append(overlap(told * SIDE, boxes))
    print(f"kinds told rightly {right / 80:.3f}, overlap {torch.cat(overlaps).mean():.3f}")


if __name__ == "__main__":
    main()
