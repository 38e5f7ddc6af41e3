"""An exponential is still finite, and its square overflows two lines later."""
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.0001)
X = torch.randn(640, 4); X[330] = net.weight.detach()[0] * 70 / net.weight.detach().pow(2).sum()
for i in range(0, 640, 16):
    x = X[i:i+16]
    rate = torch.exp(net(x))
    scaled = rate * 0.5
    loss = scaled.pow(2).mean()  #~ NUM101
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
