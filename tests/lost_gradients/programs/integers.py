#~ zero: GRD101
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
Y = X @ torch.randn(8, 3)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(40):
    at = torch.arange(step * 32, step * 32 + 32) % 256
    x, y = X[at], Y[at]
    optimizer.zero_grad()
    p = model(x).long().float()  #~ here
    loss = F.mse_loss(p, y)
    loss.requires_grad = True
    loss.backward()
    optimizer.step()
