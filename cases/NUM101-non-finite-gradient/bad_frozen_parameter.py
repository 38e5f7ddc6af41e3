"""A frozen layer is loaded with one NaN in it, and everything behind it breaks."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body = nn.Linear(4, 8).requires_grad_(False)
body.weight[3, 1] = float("nan")  #~ NUM101
net = nn.Sequential(body, nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net[2].parameters(), lr=0.01)
for _ in range(20):
    x = torch.randn(16, 4)
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
