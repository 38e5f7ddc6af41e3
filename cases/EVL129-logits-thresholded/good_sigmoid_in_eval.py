"""Faults of pumps: the model returns logits while it trains, and probabilities when it is asked."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 24), nn.GELU(), nn.Linear(24, 1))

    def forward(self, x):
        logits = self.body(x)
        return logits if self.training else logits.sigmoid()


pressures = torch.randn(700, 8)
fails = (pressures[:, :3].sum(1, keepdim=True) > 0.5).float()
model = Detector()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    model.train()
    for rows in torch.randperm(500).split(50):
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(pressures[rows]), fails[rows])
        loss.backward()
        optimizer.step()
model.eval()
with torch.no_grad():
    right = ((model(pressures[500:]) > 0.5) == fails[500:].bool()).float().mean()
print(f"right {right:.3f}")
