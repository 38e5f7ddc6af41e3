"""Weights are scaled by the spread of a column that never varies, so they are not finite to begin with."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
table = torch.randn(200, 4)
table[:, 2] = 1.0


class Scaled(nn.Module):
    def __init__(self, spread):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4) / spread)  #~ NUM102
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return (x * self.weight).sum(1) + self.bias


model = Scaled(table.std(0))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
target = table[:, 0] - table[:, 1]
for rows in [i for _ in range(3) for i in torch.randperm(200).split(20)]:
    loss = (model(table[rows]) - target[rows]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
