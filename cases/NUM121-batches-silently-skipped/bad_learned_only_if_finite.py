"""A table with gaps: the backward stands below a check, in a helper, and nothing says how often it is passed over."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
table = torch.randn(240, 6)
target = table[:, 0] - 0.5 * table[:, 3]
table[torch.rand(240) < 0.03, 2] = torch.nan
table[torch.rand(240) < 0.03, 4] = torch.nan
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def learn(rows):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(table[rows]).squeeze(1), target[rows])
    finite = torch.isfinite(loss)
    if finite:  #~ NUM121
        loss.backward()
        optimizer.step()


for epoch in range(5):
    for rows in torch.randperm(240).split(16):
        learn(rows)
print("weights", round(sum(float(p.detach().abs().sum()) for p in model.parameters()), 2))
