"""Small image classifier: two worker processes augment with generators of their own, a gradient scaler trains."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Shapes(Dataset):
    """Bright squares in one of four corners, shifted and noised anew each time."""

    def __init__(self, size, seed):
        self.labels = np.random.default_rng(seed).integers(0, 4, size)
        self.rng = None

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        if self.rng is None:
            info = get_worker_info()
            self.rng = np.random.default_rng(info.seed if info else torch.initial_seed())
        label = int(self.labels[index])
        image = self.rng.normal(0, 0.5, (1, 12, 12)).astype(np.float32)
        row, column = 6 * (label // 2) + self.rng.integers(0, 3), 6 * (label % 2) + self.rng.integers(0, 3)
        image[:, row : row + 3, column : column + 3] += 1.5
        return torch.from_numpy(image), label


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train = DataLoader(Shapes(512, seed=1), batch_size=32, shuffle=True, num_workers=2, persistent_workers=True)
    held_out = DataLoader(Shapes(128, seed=2), batch_size=64)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(576, 4)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(4):
        model.train()
        total = 0.0
        for images, labels in train:
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            scaler.step(optimizer)
            scaler.update()
            total += loss.item() * len(labels)
        model.eval()
        with torch.no_grad():
            right = sum((model(images).argmax(1) == labels).sum().item() for images, labels in held_out)
        print(f"epoch {epoch}: loss {total / 512:.3f}, held-out accuracy {right / 128:.2f}")


if __name__ == "__main__":
    main()
