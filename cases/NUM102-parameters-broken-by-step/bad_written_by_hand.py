"""Rows of a weight are normalised after a step, by a norm that is taken to be zero."""
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(60):
    x = torch.randn(16, 4)
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if step == 30:
        with torch.no_grad():
            net[0].weight.div_(net[0].weight.norm(dim=1, keepdim=True) * 0)  #~ NUM102
print(loss.item())
