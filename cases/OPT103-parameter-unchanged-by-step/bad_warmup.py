"""A hand-written warm-up divides integers: its factor is zero for as long as the run lasts."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
WARMUP, BASE = 100, 0.1
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=BASE, momentum=0.9)  #~? OPT103
for step in range(60):
    for group in opt.param_groups:
        group["lr"] = BASE * min(1, (step + 1) // WARMUP)  #~ OPT103
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
