"""Gradients are normalised between the backward and the step, and one batch has none."""
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)

net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
X = torch.randn(640, 4); m = torch.ones(640, 1); m[320:336] = 0
for i in range(0, 640, 16):
    loss = (net(X[i:i+16]) * m[i:i+16]).pow(2).mean()
    opt.zero_grad(); loss.backward()
    for p in net.parameters():
        p.grad /= p.grad.norm()  #~ NUM101
    opt.step()
print(loss.item())
