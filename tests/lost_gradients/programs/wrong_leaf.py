#~ zero: GRD101
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
Y = X @ torch.randn(8, 3)
w = torch.randn(8, 3, requires_grad=True)
w2 = (w * 0.1)
w = w2.detach().requires_grad_()
first = torch.randn(8, 3, requires_grad=True)
optimizer = torch.optim.SGD([first], lr=0.05)
for step in range(40):
    at = torch.arange(step * 32, step * 32 + 32) % 256
    x, y = X[at], Y[at]
    optimizer.zero_grad()
    loss = F.mse_loss(x @ w, y)
    loss.backward()  #~ here
    optimizer.step()
