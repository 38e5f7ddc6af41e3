"""zero_grad stands outside the batch loop, so that gradients pile up within each epoch."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.rand(300, 3) * 2 - 1
Y = (4 * X[:, :1]).sin() * X[:, 1:2]
net = nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(4):
    opt.zero_grad()  #~? OPT104
    for idx in torch.randperm(300).split(15):
        loss = nn.functional.mse_loss(net(X[idx]), Y[idx])
        loss.backward()  #~ OPT104
        opt.step()  #~? OPT104
print(f"mse {nn.functional.mse_loss(net(X), Y).item():.4f}")
