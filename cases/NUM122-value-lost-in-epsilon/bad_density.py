"""The density of a point in forty dimensions underflows, and is clamped before its logarithm is taken."""
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, parts, dimensions):
        super().__init__()
        self.means = nn.Parameter(3 * torch.randn(parts, dimensions))
        self.shares = nn.Parameter(torch.zeros(parts))

    def forward(self, x):
        distance = (x[:, None] - self.means).square().sum(-1)
        density = (self.shares.softmax(0) * torch.exp(-0.5 * distance)).sum(1)
        return density.clamp(min=1e-12).log()  #~ NUM122


torch.manual_seed(0)
torch.set_num_threads(1)
points = 2 * torch.randn(300, 40)
mixture = Mixture(4, 40)
optimizer = torch.optim.SGD(mixture.parameters(), lr=0.05)
for rows in torch.arange(300).split(20):
    loss = -mixture(points[rows]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
