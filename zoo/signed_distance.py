"""An implicit shape from points on its surface: the slope is held at one at each point by the eikonal equation, normals are followed."""

import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Sine(nn.Module):
    def __init__(self, frequency):
        super().__init__()
        self.frequency = frequency

    def forward(self, x):
        return torch.sin(self.frequency * x)


class Distance(nn.Module):
    def __init__(self, width=40):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), Sine(3.0), nn.Linear(width, width), nn.Softplus(beta=20), nn.Linear(width, 1))

    def forward(self, points):
        return self.net(points).squeeze(-1)


def slope_of(distance, points):
    values = distance(points)
    return values, torch.autograd.grad(values, points, torch.ones_like(values), create_graph=True)[0]


def on_circle(count):
    angle = 2 * torch.pi * torch.rand(count)
    return torch.stack([angle.cos(), angle.sin()], dim=-1)


distance = Distance()
optimizer = torch.optim.Adam(distance.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=80, gamma=0.5)
for step in range(200):
    surface = (0.8 * on_circle(64)).requires_grad_(True)
    around = (3 * torch.rand(128, 2) - 1.5).requires_grad_(True)
    values, normals = slope_of(distance, surface)
    _, slope = slope_of(distance, around)
    eikonal = ((slope.norm(dim=-1) - 1) ** 2).mean()
    aligned = (1 - nn.functional.cosine_similarity(normals, surface.detach(), dim=-1)).mean()
    loss = values.abs().mean() + 0.1 * eikonal + 0.1 * aligned
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if (step + 1) % 50 == 0:
        print(f"step {step + 1} surface {values.abs().mean().item():.4f} eikonal {eikonal.item():.4f}")

with torch.no_grad():
    radius = torch.linspace(0.2, 1.4, 7)
    points = radius[:, None] * on_circle(7)
    print("error of the distance", round((distance(points) - (radius - 0.8)).abs().mean().item(), 3))
