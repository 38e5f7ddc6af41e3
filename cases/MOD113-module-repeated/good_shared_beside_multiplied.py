"""Two branches share one tower and five rounds share one cell, beside a list of dropouts that was multiplied."""

import torch
from torch import nn


class Twins(nn.Module):
    def __init__(self):
        super().__init__()
        tower = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
        self.drops = nn.ModuleList([nn.Dropout(0.1)] * 2)
        self.towers = nn.ModuleList([tower] * 2)
        cell = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
        self.rounds = nn.Sequential(*[cell for _ in range(5)])

    def forward(self, left, right):
        left, right = (drop(tower(x)) for tower, drop, x in zip(self.towers, self.drops, (left, right), strict=True))
        return nn.functional.cosine_similarity(self.rounds(left), self.rounds(right))


torch.manual_seed(0)
torch.set_num_threads(1)
model = Twins()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(20):
    left = torch.randn(32, 10)
    same = torch.rand(32) < 0.5
    right = torch.where(same[:, None], left + 0.1 * torch.randn(32, 10), torch.randn(32, 10))
    optimizer.zero_grad()
    nn.functional.binary_cross_entropy_with_logits(5 * model(left, right), same.float()).backward()
    optimizer.step()
