"""clip_grad_value_ at the end of each step, where it can no longer change anything."""
import torch
from torch import nn
from torch.nn.utils import clip_grad_value_

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.5)
X = torch.randn(300, 4)
Y = X[:, :1] * 2
Y[::31] *= 30
for batch in torch.randint(0, 300, (60, 20)):
    loss = (net(X[batch]) - Y[batch]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    clip_grad_value_(net.parameters(), 0.1)  #~ OPT106
print(f"median error {(net(X) - Y).abs().median().item():.3f}")
