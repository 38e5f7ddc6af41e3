"""CyclicLR with a short triangle, stepped per batch, on purpose."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
cycle = torch.optim.lr_scheduler.CyclicLR(opt, base_lr=0.01, max_lr=0.1, step_size_up=5, mode="triangular2")
for step in range(60):
    x = torch.randn(32, 3)
    loss = nn.functional.smooth_l1_loss(net(x), x.abs().sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    cycle.step()
print(f"loss {loss.item():.4f}")
