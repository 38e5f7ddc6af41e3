"""Lazy modules find their shapes at the first forward."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.LazyLinear(8), nn.LazyBatchNorm1d(), nn.ReLU(), nn.LazyLinear(2))
print(model)
model(torch.randn(4, 5))
print(model, [tuple(p.shape) for p in model.parameters()])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 5)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
late = nn.Sequential(nn.LazyConv2d(4, 3), nn.Flatten(), nn.LazyLinear(2))
optimizer = torch.optim.SGD(late.parameters(), lr=0.1)
for _ in range(2):
    late(torch.randn(2, 3, 8, 8)).sum().backward()
    optimizer.step()
print(late[2].weight.sum().item())
