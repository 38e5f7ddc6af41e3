#~ zero: GRD104
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
Y = X @ torch.randn(8, 3)
X = X * 1e5
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(40):
    at = torch.arange(step * 32, step * 32 + 32) % 256
    x, y = X[at], Y[at]
    optimizer.zero_grad()
    h = model[0](x)
    h = torch.tanh(h)  #~ here
    loss = F.mse_loss(model[2](h), y)
    loss.backward()
    optimizer.step()
