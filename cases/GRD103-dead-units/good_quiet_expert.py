"""An expert behind a hard gate gets zero gradients in many steps, whenever no sample of the batch is sent to it."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
common = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
rare = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam([*common.parameters(), *rare.parameters()], lr=0.02)
for _ in range(80):
    x = torch.randn(16, 3)
    gate = (x[:, :1] > 1.7).float()
    y = torch.where(gate > 0, -x[:, 1:2], x[:, 1:2])
    out = (1 - gate) * common(x) + gate * rare(x)
    loss = (out - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
