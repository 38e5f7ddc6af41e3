"""A diffusion of points that draws noise in its own forward, one for both the input and the loss."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Diffusion(nn.Module):
    def __init__(self, steps=30):
        super().__init__()
        self.register_buffer("kept", torch.cumprod(1 - torch.linspace(1e-3, 0.2, steps), dim=0))
        self.net = nn.Sequential(nn.Linear(5, 48), nn.ReLU(), nn.Linear(48, 4))

    def blur(self, points, when, noise=None):
        noise = torch.randn_like(points) if noise is None else noise
        share = self.kept[when, None]
        return share.sqrt() * points + (1 - share).sqrt() * noise

    def forward(self, points):
        when = torch.randint(len(self.kept), (len(points),))
        noise = torch.randn(points.shape)
        blurred = self.blur(points, when, noise)
        told = self.net(torch.cat([blurred, when.unsqueeze(1) / len(self.kept)], dim=1))
        return F.l1_loss(told, noise)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    angle = torch.rand(640) * 6.28
    points = torch.stack([angle.sin(), angle.cos(), (2 * angle).sin(), (2 * angle).cos()], dim=1)
    diffusion = Diffusion()
    optimizer = torch.optim.AdamW(diffusion.parameters(), lr=1e-3)
    for _ in range(3):
        for (batch,) in DataLoader(TensorDataset(points), batch_size=128, shuffle=True):
            loss = diffusion(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"loss {loss.item():.3f}")


main()
