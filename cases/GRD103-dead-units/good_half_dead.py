"""About half of the hidden units start shut, and the other half does the work."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
first, second = nn.Linear(6, 40), nn.Linear(40, 2)
with torch.no_grad():
    first.bias[:20] = -8.0
opt = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.01)
X = torch.randn(240, 6)
Y = (X[:, 0] * X[:, 1] > 0).long()
for _ in range(6):
    for idx in torch.randperm(240).split(24):
        loss = nn.functional.cross_entropy(second(torch.relu(first(X[idx]))), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
