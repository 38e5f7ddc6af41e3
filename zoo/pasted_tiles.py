"""Tell tiles apart by their pattern: in every second batch a patch of another tile is pasted into each (CutMix)."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(17)
torch.set_num_threads(1)
SIDE = 16
KINDS = ("rows", "columns", "slanted", "checked")


class Tiles(Dataset):
    def __init__(self, count, seed):
        draw = torch.Generator().manual_seed(seed)
        kinds = torch.randint(0, len(KINDS), (count,), generator=draw).tolist()
        self.samples = [(f"{KINDS[kind]}/{number}.png", kind) for number, kind in enumerate(kinds)]
        self.classes = list(KINDS)
        rows, columns = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
        patterns = torch.stack([rows % 4 < 2, columns % 4 < 2, (rows + columns) % 6 < 3, (rows // 2 + columns // 2) % 2 == 0]).float()
        shifts = torch.randint(0, 4, (count,), generator=draw).tolist()
        tiles = [patterns[kind].roll(shift, 0) for kind, shift in zip(kinds, shifts, strict=True)]
        self.tiles = torch.stack(tiles)[:, None] + 0.5 * torch.randn(count, 1, SIDE, SIDE, generator=draw)

    def __len__(self):
        return len(self.tiles)

    def __getitem__(self, index):
        return self.tiles[index], self.samples[index][1]


def patch(lam):
    """Returns the rows and columns of a patch around a random place, which may stick out."""
    half = int(SIDE * (1 - lam) ** 0.5) // 2
    row, column = torch.randint(0, SIDE, (2,)).tolist()
    return slice(max(row - half, 0), min(row + half, SIDE)), slice(max(column - half, 0), min(column + half, SIDE))


def main():
    train = DataLoader(Tiles(400, seed=1), batch_size=25, shuffle=True)
    held = DataLoader(Tiles(100, seed=2), batch_size=50)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 5), nn.ReLU(), nn.Conv2d(12, 24, 5, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(96, len(KINDS))
    )
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    for _ in range(8):
        model.train()
        for step, (tiles, kinds) in enumerate(train):
            if step % 2 == 0:
                rows, columns = patch(torch.rand(()).item())
                order = torch.randperm(len(tiles))
                tiles[:, :, rows, columns] = tiles[order, :, rows, columns]
                lam = 1 - (rows.stop - rows.start) * (columns.stop - columns.start) / SIDE**2
                logits = model(tiles)
                loss = criterion(logits, kinds) * lam + criterion(logits, kinds[order]) * (1 - lam)
            else:
                loss = criterion(model(tiles), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(tiles).argmax(1) == kinds).sum().item() for tiles, kinds in held)
    print(f"tiles told rightly {right / 100:.3f}")


if __name__ == "__main__":
    main()
