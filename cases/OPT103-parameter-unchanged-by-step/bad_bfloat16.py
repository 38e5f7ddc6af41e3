"""Gains of 1.0 in bfloat16 get updates of 0.001, which are below half of the spacing there and are rounded away."""
import torch
from torch import nn


class Gains(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * self.gain


torch.manual_seed(0)
torch.set_num_threads(1)
model = Gains(24).bfloat16()  #~? OPT103
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  #~ OPT103
for step in range(80):
    x = torch.randn(64, 24, dtype=torch.bfloat16)
    loss = (model(x) - 0.9 * x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"mean gain {model.gain.float().mean().item():.4f} (should approach 0.9)")
