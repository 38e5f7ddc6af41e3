"""clip_grad_value_ on gradients that are still scaled."""
import torch
from torch import nn
from torch.amp import GradScaler
from torch.nn.utils import clip_grad_value_

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
scaler = GradScaler("cpu", init_scale=2.0**12)
for step in range(70):
    x = torch.randn(32, 3)
    target = x[:, :1] * x[:, 1:2]
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), target)
    scaler.scale(loss).backward()
    clip_grad_value_(net.parameters(), 0.5)  #~ OPT107
    scaler.step(opt)
    scaler.update()
print(f"loss {loss.item():.4f}")
