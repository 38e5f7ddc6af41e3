"""Train on data read by two persistent worker processes, with augmentation seeded in every worker."""

import random

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class SignalDataset(Dataset):
    """Noisy one-dimensional signals with one of four shapes at a random place."""

    def __init__(self, count, seed, augment=False):
        rng = np.random.default_rng(seed)
        shapes = np.stack([
            np.hanning(16), np.sin(np.linspace(0, 2 * np.pi, 16)), np.linspace(-1, 1, 16), np.where(np.arange(16) % 4 < 2, 1, -1)
        ])  # fmt: skip
        self.labels = rng.integers(0, 4, count)
        self.signals = 0.4 * rng.standard_normal((count, 48)).astype(np.float32)
        for signal, label, start in zip(self.signals, self.labels, rng.integers(0, 32, count)):
            signal[start : start + 16] += 1.5 * shapes[label]
        self.augment = augment

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        signal = self.signals[index].copy()
        if self.augment:
            signal = np.roll(signal, np.random.randint(-4, 5)) * np.float32(random.uniform(0.9, 1.1))
        signal = torch.from_numpy(signal).unsqueeze(0)
        if self.augment:
            signal = signal + 0.05 * torch.randn_like(signal)
        return signal, int(self.labels[index])


def seed_worker(worker_id):
    worker_seed = torch.initial_seed() % 2**32
    np.random.seed(worker_seed)
    random.seed(worker_seed)


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator()
    generator.manual_seed(0)

    train_loader = DataLoader(
        SignalDataset(1024, seed=1, augment=True),
        batch_size=64,
        shuffle=True,
        num_workers=2,
        worker_init_fn=seed_worker,
        generator=generator,
        persistent_workers=True,
    )
    test_loader = DataLoader(SignalDataset(256, seed=2), batch_size=128)

    model = nn.Sequential(
        nn.Conv1d(1, 16, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(16, 32, 5, padding=2), nn.ReLU(), nn.AdaptiveMaxPool1d(1),
        nn.Flatten(), nn.Linear(32, 4),
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(6):
        model.train()
        total = 0.0
        for signals, labels in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(signals), labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            correct = sum((model(signals).argmax(1) == labels).sum().item() for signals, labels in test_loader)
        print(f"epoch {epoch + 1}: loss {total / len(train_loader):.4f} test accuracy {correct / 256:.3f}")


if __name__ == "__main__":
    main()
