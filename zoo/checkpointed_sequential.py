"""Train a deep convolutional regressor in segments; it has no dropout, so the state of the generators need not be kept."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential
from torch.utils.data import DataLoader, TensorDataset


def block(channels):
    return nn.Sequential(nn.Conv1d(channels, channels, 3, padding=1), nn.GroupNorm(2, channels), nn.GELU())


class Regressor(nn.Module):
    def __init__(self, channels=16, depth=6):
        super().__init__()
        self.stem = nn.Conv1d(1, channels, 5, padding=2)
        self.body = nn.Sequential(*(block(channels) for _ in range(depth)))
        self.head = nn.Linear(channels, 1)

    def forward(self, x):
        x = self.stem(x)
        if self.training:
            x = checkpoint_sequential(self.body, 3, x, use_reentrant=False, preserve_rng_state=False)
        else:
            x = self.body(x)
        return self.head(x.mean(-1)).squeeze(1)


def waves(number, generator):
    frequency = torch.rand(number, generator=generator) * 4 + 1
    phase = torch.rand(number, generator=generator) * 6.28
    time = torch.linspace(0, 1, 48)
    signal = torch.sin(6.28 * frequency[:, None] * time + phase[:, None]) + 0.05 * torch.randn(number, 48, generator=generator)
    return TensorDataset(signal[:, None], (frequency - 3) / 1.2)


def main():
    torch.manual_seed(4)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(9)
    train = DataLoader(waves(1024, generator), batch_size=64, shuffle=True)
    valid = DataLoader(waves(256, generator), batch_size=256)
    model = Regressor()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(5):
        model.train()
        for signal, target in train:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(signal), target).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            error = sum(nn.functional.mse_loss(model(signal), target).item() for signal, target in valid) / len(valid)
        print(f"epoch {epoch + 1}: valid error {error:.4f}")


if __name__ == "__main__":
    main()
