"""Some probabilities are as small as the guard, and most are not: it only keeps the logarithm from zero."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(400, 5)
y = (x.sum(1) > 0).float()
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for rows in torch.randperm(400).split(20):
    p = torch.sigmoid(12 * model(x[rows]).squeeze(1))
    loss = -(y[rows] * torch.log(p + 1e-7) + (1 - y[rows]) * torch.log(1 - p + 1e-7)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
