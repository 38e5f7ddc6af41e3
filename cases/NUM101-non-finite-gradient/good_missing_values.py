"""Missing inputs and targets are NaN in the data; both are masked before they touch the weights."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 6)
Y = torch.stack([X.sum(1), X[:, 0] - X[:, 1]], dim=1)
X[torch.rand(300, 6) < 0.1] = float("nan")
Y[torch.rand(300, 2) < 0.2] = float("nan")
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for idx in [i for _ in range(6) for i in torch.randperm(300).split(30)]:
    x, y = X[idx], Y[idx]
    seen = torch.cat([torch.nan_to_num(x), x.isnan().float()], dim=1)
    out, known = net(seen), ~y.isnan()
    loss = (out[known] - y[known]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
