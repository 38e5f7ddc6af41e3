"""The state_dict is held on purpose as a live view, for names and sizes and for an exponential average."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
live = net.state_dict()
average = {k: v.clone() for k, v in live.items()}
size = sum(v.numel() for v in live.values())
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for _ in range(50):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(net(x), x[:, :1] * 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
    for k, v in live.items():
        average[k].mul_(0.9).add_(v, alpha=0.1)
net.load_state_dict(average)
with torch.no_grad():
    print(f"{size} weights, averaged model's loss {nn.functional.mse_loss(net(x), x[:, :1] * 2).item():.4f}")
