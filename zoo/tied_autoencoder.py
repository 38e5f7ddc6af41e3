"""Denoising autoencoder whose decoder shares the encoder's matrix, fed by two worker processes."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    """Sums of two sine waves; each access adds fresh noise from torch's own generator, which loaders seed for each worker."""

    def __init__(self, size):
        generator = torch.Generator().manual_seed(3)
        time = torch.linspace(0, 6.28, 32)
        frequency = torch.randint(1, 5, (size, 2, 1), generator=generator)
        self.clean = torch.sin(frequency * time).mean(1)

    def __len__(self):
        return len(self.clean)

    def __getitem__(self, index):
        clean = self.clean[index]
        return clean + 0.3 * torch.randn(32), clean


class TiedAutoencoder(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.encoder = nn.Linear(32, width)
        self.decoder = nn.Linear(32, width, bias=False)
        self.decoder.weight = self.encoder.weight
        self.offset = nn.Parameter(torch.zeros(32))

    def forward(self, noisy):
        code = torch.tanh(self.encoder(noisy))
        return code @ self.decoder.weight + self.offset


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    loader = DataLoader(Signals(480), batch_size=24, shuffle=True, num_workers=2, persistent_workers=True)
    model = TiedAutoencoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(6):
        total = 0.0
        for noisy, clean in loader:
            loss = F.mse_loss(model(noisy), clean)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: error {total / len(loader):.4f}")


if __name__ == "__main__":
    main()
