"""Train a conditional variational autoencoder on two-dimensional spirals, with a weight on the divergence that rises."""

import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(4)
torch.set_num_threads(1)
ARMS, EPOCHS = 3, 30


def spirals(count):
    arms = torch.randint(0, ARMS, (count,))
    along = torch.rand(count).sqrt()
    angles = 3 * along + arms * 2 * math.pi / ARMS
    points = torch.stack([along * angles.cos(), along * angles.sin()], 1) * 2 + 0.05 * torch.randn(count, 2)
    return points, arms


class ConditionalVAE(nn.Module):
    def __init__(self, hidden=48, latent=2):
        super().__init__()
        self.arms = nn.Embedding(ARMS, 8)
        self.encoder = nn.Sequential(nn.Linear(2 + 8, hidden), nn.SiLU(), nn.Linear(hidden, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent + 8, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 2))

    def forward(self, points, arms):
        condition = self.arms(arms)
        mean, log_var = self.encoder(torch.cat([points, condition], 1)).chunk(2, dim=1)
        z = mean + (0.5 * log_var).exp() * torch.randn_like(mean)
        return self.decoder(torch.cat([z, condition], 1)), mean, log_var

    @torch.no_grad()
    def sample(self, arms):
        z = torch.randn(len(arms), 2)
        return self.decoder(torch.cat([z, self.arms(arms)], 1))


def train():
    model = ConditionalVAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    loader = DataLoader(TensorDataset(*spirals(1200)), batch_size=100, shuffle=True)
    for epoch in range(EPOCHS):
        beta = 0.02 * min(1.0, (epoch + 1) / 10)
        for points, arms in loader:
            again, mean, log_var = model(points, arms)
            reconstruction = (again - points).pow(2).sum(1).mean()
            divergence = -0.5 * (1 + log_var - mean.pow(2) - log_var.exp()).sum(1).mean()
            loss = reconstruction + beta * divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval(), loss.item()


if __name__ == "__main__":
    model, last = train()
    points, arms = spirals(400)
    drawn = model.sample(arms)
    nearest = torch.cdist(drawn, points).argmin(1)
    print(f"loss {last:.3f}, arms drawn rightly {(arms[nearest] == arms).float().mean():.2f}")
