"""Noise that is added at the end of a block, which the backward does not need."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner, self.outer = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        hidden = torch.relu(self.inner(self.norm(x)))
        x = x + self.outer(hidden)
        return x + 0.01 * torch.randn_like(x)



class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(16), Block(16))
        self.head = nn.Linear(16, 1)

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False, preserve_rng_state=False)
        return self.head(x)


torch.manual_seed(0)
torch.set_num_threads(1)
model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(20):
    x = torch.randn(32, 16)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
