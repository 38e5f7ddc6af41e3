"""Fit the parameters of a damped oscillator, with the residual compiled as a function and one-cycle rates."""

import math

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Oscillator(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_damping = nn.Parameter(torch.tensor(-2.0))
        self.frequency = nn.Parameter(torch.tensor(1.8))
        self.phase = nn.Parameter(torch.tensor(0.1))

    def forward(self, time):
        return torch.exp(-self.log_damping.exp() * time) * torch.cos(self.frequency * time + self.phase)


@torch.compile(backend="aot_eager")
def residual(predicted, measured, noise):
    return ((predicted - measured) / noise).square().mean()


time = torch.linspace(0, 6, 256)
measured = torch.exp(-0.3 * time) * torch.cos(2.0 * time + 0.4) + 0.02 * torch.randn(256)
model = Oscillator()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-2, total_steps=300)

for step in range(300):
    chosen = torch.randint(256, (64,))
    optimizer.zero_grad()
    loss = residual(model(time[chosen]), measured[chosen], 0.02)
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 100 == 99:
        print(f"step {step + 1}: residual {loss.item():.3f}, frequency {model.frequency.item():.3f}")

with torch.no_grad():
    error = (model(time) - measured).square().mean().sqrt().item()
print(f"error {error:.4f}, period {2 * math.pi / model.frequency.item():.3f}")
