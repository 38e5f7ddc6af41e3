"""Segment noisy discs and squares with a small network, void borders left out, and two half-size batches to each step."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

VOID = 255
CLASSES = 3


class Shapes(Dataset):
    """Images with one disc or one square; pixels at the border of the image are void, as in street scenes."""

    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        rows, columns = torch.meshgrid(torch.arange(16), torch.arange(16), indexing="ij")
        self.images, self.masks = [], []
        for _ in range(count):
            y, x = torch.randint(5, 11, (2,), generator=generator).tolist()
            is_disc = bool(torch.rand((), generator=generator) < 0.5)
            if is_disc:
                inside = (rows - y) ** 2 + (columns - x) ** 2 < 14
            else:
                inside = ((rows - y).abs() < 4) & ((columns - x).abs() < 4)
            mask = inside.long() * (1 if is_disc else 2)
            image = inside.float() + 0.4 * torch.randn(16, 16, generator=generator)
            mask[0], mask[-1], mask[:, 0], mask[:, -1] = VOID, VOID, VOID, VOID
            self.images.append(image[None])
            self.masks.append(mask)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.masks[index]


class Segmenter(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.down = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.GroupNorm(3, width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.GroupNorm(3, 2 * width), nn.ReLU(),
        )  # fmt: skip
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.classify = nn.Conv2d(width + 1, CLASSES, 3, padding=1)

    def forward(self, image):
        features = self.up(self.down(image))
        return self.classify(torch.cat([features, image], dim=1))


def evaluate(model, loader):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for image, mask in loader:
            known = mask != VOID
            right += (model(image).argmax(1)[known] == mask[known]).sum().item()
            total += int(known.sum())
    return right / total


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    train_loader = DataLoader(Shapes(192, seed=1), batch_size=12, shuffle=True, drop_last=True)
    valid_loader = DataLoader(Shapes(48, seed=2), batch_size=24)
    model = Segmenter()
    criterion = nn.CrossEntropyLoss(ignore_index=VOID)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    accumulate = 2
    for epoch in range(4):
        model.train()
        running = 0.0
        optimizer.zero_grad()
        for number, (image, mask) in enumerate(train_loader):
            loss = criterion(model(image), mask)
            (loss / accumulate).backward()
            running += loss.item()
            if (number + 1) % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
        print(f"epoch {epoch + 1}: loss {running / len(train_loader):.3f}, pixel accuracy {evaluate(model, valid_loader):.3f}")


if __name__ == "__main__":
    main()
