"""A table with gaps: the program counts the batches that it leaves out, and says so at the end."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
table = torch.randn(240, 6)
target = table[:, 0] - 0.5 * table[:, 3]
table[torch.rand(240) < 0.04, 2] = torch.nan
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
skipped = 0
for epoch in range(5):
    for rows in torch.randperm(240).split(16):
        loss = nn.functional.mse_loss(model(table[rows]).squeeze(1), target[rows])
        if torch.isnan(loss):
            skipped += 1
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{skipped} batches left out")
