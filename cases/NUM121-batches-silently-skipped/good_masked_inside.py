"""The model knows what NaN means: it reads a gap as zero, with a flag beside it."""
import torch
from torch import nn


class WithGaps(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        gaps = torch.isnan(x)
        return self.net(torch.cat([torch.where(gaps, 0.0, x), gaps.float()], dim=1)).squeeze(1)


torch.manual_seed(0)
torch.set_num_threads(1)
table = torch.randn(300, 5)
target = table[:, 0] + table[:, 1]
table[torch.rand(300, 5) < 0.2] = torch.nan
model = WithGaps()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(40):
    rows = torch.randint(0, 300, (30,))
    loss = nn.functional.mse_loss(model(table[rows]), target[rows])
    if not torch.isfinite(loss):
        continue
    if step % 2:
        continue  # every other batch is only looked at
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("loss", round(loss.item(), 2))
