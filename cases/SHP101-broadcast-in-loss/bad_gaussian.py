"""A heteroscedastic regression whose negative log likelihood mixes [N, 1] means with [N] targets."""
import torch
from torch import nn


def gaussian_nll(mean, log_var, target):
    error = torch.pow(target - mean, 2)  #~ SHP101
    return 0.5 * (log_var + error / log_var.exp()).mean()


torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(80):
    x = torch.rand(48, 1) * 4 - 2
    target = (3 * x[:, 0]).tanh() + 0.1 * x[:, 0].abs() * torch.randn(48)
    mean, log_var = net(x).chunk(2, dim=1)
    loss = gaussian_nll(mean, log_var, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"negative log likelihood {loss.item():.3f}")
