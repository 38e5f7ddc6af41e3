"""Train a small world model: a recurrent state with a Gaussian latent at each step, whose network gives the logarithm of the spread."""

import torch
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)
STEPS, BATCH, LENGTH = 160, 32, 10


def pendulums(count, length):
    """Returns what is seen of swinging pendulums, and the pushes that they get."""
    angle, speed = 2 * torch.rand(count) - 1, torch.zeros(count)
    pushes = 0.3 * torch.randn(count, length)
    seen = []
    for step in range(length):
        speed = 0.98 * speed - 0.2 * angle.sin() + pushes[:, step]
        angle = angle + 0.2 * speed
        seen.append(torch.stack([angle.sin(), angle.cos(), speed], 1))
    return torch.stack(seen, 1), pushes


class WorldModel(nn.Module):
    def __init__(self, state=24, latent=4):
        super().__init__()
        self.state = state
        self.cell = nn.GRUCell(latent + 1, state)
        self.posterior = nn.Linear(state + 3, 2 * latent)
        self.seen = nn.Sequential(nn.Linear(state + latent, 32), nn.ELU(), nn.Linear(32, 3))

    def forward(self, seen, pushes):
        state = seen.new_zeros(len(seen), self.state)
        told, divergences = [], []
        for step in range(seen.shape[1]):
            mean, log_std = self.posterior(torch.cat([state, seen[:, step]], 1)).chunk(2, 1)
            latent = mean + log_std.exp() * torch.randn_like(mean)
            told.append(self.seen(torch.cat([state, latent], 1)))
            divergences.append((0.5 * ((2 * log_std).exp() + mean**2 - 1) - log_std).sum(1))
            state = self.cell(torch.cat([latent, pushes[:, step : step + 1]], 1), state)
        return torch.stack(told, 1), torch.stack(divergences, 1)


def main():
    model = WorldModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(STEPS):
        seen, pushes = pendulums(BATCH, LENGTH)
        told, divergence = model(seen, pushes)
        loss = (told - seen).pow(2).sum(-1).mean() + 0.02 * divergence.mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
    with torch.no_grad():
        seen, pushes = pendulums(200, LENGTH)
        told, _ = model.eval()(seen, pushes)
    print(f"loss {loss.item():.3f}, error of what is seen {(told - seen).pow(2).mean():.4f}")


if __name__ == "__main__":
    main()
