"""The gradient that is handed to the backward is divided by a weight of zero."""
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)

net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
W = torch.ones(640, 1); W[330] = 0
X = torch.randn(640, 4)
for i in range(0, 640, 16):
    out = net(X[i:i+16])
    g = 1 / W[i:i+16]
    opt.zero_grad(); out.backward(gradient=g - g.mean()); opt.step()  #~ NUM101
print(out.sum().item())
