"""Plain gradient descent written out; the optimizer only clears the gradients."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
X = torch.randn(256, 8)
Y = X[:, :3].argmax(1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(X[idx]), Y[idx]).backward()
        for p in net.parameters():
            p.data -= 0.1 * p.grad
