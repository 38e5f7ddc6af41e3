"""The old habit of stepping the schedule at each epoch's head loses the first and largest rate (torch warns once)."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.rand(240, 2) * 2 - 1
Y = torch.sin(3 * X[:, :1]) + X[:, 1:]
net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.05)
decay = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.1)
for epoch in range(4):
    decay.step()  #~ OPT111
    for idx in torch.randperm(240).split(16):
        loss = nn.functional.mse_loss(net(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"mse {nn.functional.mse_loss(net(X), Y).item():.4f}")
