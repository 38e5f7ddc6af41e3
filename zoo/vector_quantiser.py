"""Compress curves with a vector-quantised autoencoder whose codebook is a moving average, then save and restore it."""

import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


def curves(count):
    """Sums of two sines: of few speeds and any phase."""
    time = torch.linspace(0, 6.28, 32)
    speed = torch.randint(1, 4, (count, 2, 1))
    return torch.sin(speed * time + 6.28 * torch.rand(count, 2, 1)).sum(1, keepdim=True) / 2


class Codebook(nn.Module):
    """Codes follow the means of what is assigned to them; codes that nobody uses are moved to where something lies."""

    def __init__(self, codes, width, decay=0.95):
        super().__init__()
        self.decay = decay
        self.register_buffer("codes", torch.randn(codes, width))
        self.register_buffer("counts", torch.ones(codes))
        self.register_buffer("sums", self.codes.clone())

    def forward(self, vectors):
        flat = vectors.transpose(1, 2).reshape(-1, self.codes.shape[1])
        nearest = torch.cdist(flat.detach(), self.codes).argmin(1)
        if self.training:
            self.follow(flat.detach(), nearest)
        found = self.codes[nearest].view(vectors.shape[0], vectors.shape[2], -1).transpose(1, 2)
        commitment = F.mse_loss(vectors, found)
        return vectors + (found - vectors).detach(), commitment, nearest

    @torch.no_grad()
    def follow(self, flat, nearest):
        chosen = F.one_hot(nearest, len(self.codes)).type_as(flat)
        self.counts.mul_(self.decay).add_(chosen.sum(0), alpha=1 - self.decay)
        self.sums.mul_(self.decay).add_(chosen.T @ flat, alpha=1 - self.decay)
        unused = self.counts < 0.05
        self.sums[unused] = flat[torch.randint(len(flat), (int(unused.sum()),))]
        self.counts[unused] = 1.0
        self.codes.copy_(self.sums / self.counts.unsqueeze(1))


class Autoencoder(nn.Module):
    def __init__(self, width=8, codes=32):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv1d(1, 24, 4, 2, 1), nn.ReLU(), nn.Conv1d(24, width, 4, 2, 1))
        self.book = Codebook(codes, width)
        self.decoder = nn.Sequential(nn.ConvTranspose1d(width, 24, 4, 2, 1), nn.ReLU(), nn.ConvTranspose1d(24, 1, 4, 2, 1))

    def forward(self, curve):
        found, commitment, nearest = self.book(self.encoder(curve))
        return self.decoder(found), commitment, nearest


def perplexity(nearest, codes):
    share = torch.bincount(nearest, minlength=codes).float() / len(nearest)
    return torch.exp(-(share * (share + 1e-9).log()).sum()).item()


data, held = curves(800), curves(160)
loader = DataLoader(TensorDataset(data), batch_size=40, shuffle=True)
model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
for epoch in range(8):
    model.train()
    total = 0.0
    for (curve,) in loader:
        back, commitment, nearest = model(curve)
        loss = F.mse_loss(back, curve) + 0.25 * commitment
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch}: loss {total / len(loader):.4f}, perplexity {perplexity(nearest, 32):.1f}")

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "quantiser.pt")
    torch.save({"model": model.state_dict(), "epoch": epoch}, path)
    again = Autoencoder()
    again.load_state_dict(torch.load(path, weights_only=True)["model"])
model.eval()
again.eval()
with torch.no_grad():
    assert torch.equal(model(held)[0], again(held)[0])
    print(f"held out: {F.mse_loss(again(held)[0], held).item():.4f}")
