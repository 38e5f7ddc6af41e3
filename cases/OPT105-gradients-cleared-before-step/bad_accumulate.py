"""Accumulation over four micro-batches that clears at each of them, so that three of four are thrown away."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
GROUP = 4
X = torch.randn(512, 12)
X[::4, 0] += 8
Y = X[:, :1] - X[:, 1:2] + 0.5 * torch.randn(512, 1)
net = nn.Linear(12, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.02)
for epoch in range(4):
    for i, chunk in enumerate(torch.randperm(512).split(8)):
        opt.zero_grad()  #~ OPT105
        loss = (net(X[chunk]) - Y[chunk]).pow(2).mean() / GROUP
        loss.backward()
        if (i + 1) % GROUP == 0:
            opt.step()
print(f"mse {(net(X) - Y).pow(2).mean().item():.3f}")
