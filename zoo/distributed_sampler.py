"""Trains a classifier as one of two replicas would: its sampler gives it half of the data, another half each epoch."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Signals(Dataset):
    """Waves of three kinds, with noise; stored as NumPy arrays."""

    def __init__(self, waves, kinds):
        self.waves = waves
        self.kinds = kinds

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, index):
        return torch.from_numpy(self.waves[index]), int(self.kinds[index])


def make_waves(count, rng):
    time = np.linspace(0, 1, 48, dtype=np.float32)
    kinds = np.arange(count) % 3
    phase = rng.uniform(0, 0.3, size=(count, 1)).astype(np.float32)
    wave = np.sin(2 * np.pi * (kinds[:, None] + 1) * (time + phase)).astype(np.float32)
    return wave + 0.3 * rng.standard_normal(wave.shape).astype(np.float32), kinds


class Classifier(nn.Module):
    def __init__(self, kinds=3):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 8, 5, padding=2, bias=False),
            nn.BatchNorm1d(8),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(8, 16, 5, padding=2, bias=False),
            nn.BatchNorm1d(16),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(4),
        )
        self.head = nn.Linear(64, kinds)

    def forward(self, x):
        return self.head(self.features(x.unsqueeze(1)).flatten(1))


class Trainer:
    def __init__(self, train, test, *, rank=0, world=2):
        self.train_sampler = DistributedSampler(train, num_replicas=world, rank=rank, shuffle=True, drop_last=True)
        test_sampler = DistributedSampler(test, num_replicas=world, rank=rank, shuffle=False)
        self.train_loader = DataLoader(train, batch_size=16, sampler=self.train_sampler)
        self.test_loader = DataLoader(test, batch_size=32, sampler=test_sampler)
        self.model = Classifier()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=3)
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.05)

    def train_epoch(self, epoch):
        self.model.train()
        self.train_sampler.set_epoch(epoch)
        for waves, kinds in self.train_loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(waves), kinds)
            loss.backward()
            self.optimizer.step()
        self.scheduler.step()
        return loss.item()

    @torch.inference_mode()
    def accuracy(self):
        self.model.eval()
        right = seen = 0
        for waves, kinds in self.test_loader:
            right += (self.model(waves).argmax(1) == kinds).sum().item()
            seen += len(kinds)
        return right / seen


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    waves, kinds = make_waves(480, rng)
    perm = rng.permutation(len(waves))
    waves, kinds = waves[perm], kinds[perm]
    trainer = Trainer(Signals(waves[:384], kinds[:384]), Signals(waves[384:], kinds[384:]))
    for epoch in range(3):
        loss = trainer.train_epoch(epoch)
        print(f"epoch {epoch}: loss {loss:.4f}, accuracy {trainer.accuracy():.3f}")


if __name__ == "__main__":
    main()
