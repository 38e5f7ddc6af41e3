"""Two heads of one model: a logit for whether it rains, and the amount, of which half a millimetre is counted as rain."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Rain(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(7, 32), nn.ReLU())
        self.whether, self.amounts = nn.Linear(32, 1), nn.Linear(32, 3)

    def forward(self, x):
        features = self.body(x)
        return self.whether(features), self.amounts(features)


days = torch.randn(800, 7)
amounts = nn.functional.softplus(days[:, :3] + 0.2 * torch.randn(800, 3))
rains = (amounts.sum(1, keepdim=True) > 2).float()
model = Rain()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(6):
    for rows in torch.randperm(600).split(60):
        whether, much = model(days[rows])
        loss = nn.functional.binary_cross_entropy_with_logits(whether, rains[rows]) + nn.functional.mse_loss(much, amounts[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
with torch.no_grad():
    whether, much = model(days[600:])
    right = ((whether > 0) == rains[600:].bool()).float().mean()
    wet = ((much > 0.5) == (amounts[600:] > 0.5)).float().mean()
print(f"rain {right:.3f}, wet {wet:.3f}")
