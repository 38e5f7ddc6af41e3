"""A mask that the loop cuts to the batch empties one sample, and the root of its length has no slope."""
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)

net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8, bias=False))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
X = torch.randn(640, 4)
m = torch.ones(640, 1); m[330] = 0
for i in range(0, 640, 16):
    h = net(X[i:i+16]) * m[i:i+16]
    d = h.pow(2).sum(1)
    s = d.sqrt()  #~ NUM101
    loss = (s * 2 + 1).log().mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
