"""SequentialLR steps its two inner schedules; the program never steps them itself."""
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR

torch.manual_seed(0)
torch.set_num_threads(1)
total, warm = 60, 10
net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.AdamW(net.parameters(), lr=0.03)
up = LinearLR(opt, start_factor=0.1, total_iters=warm)
down = CosineAnnealingLR(opt, T_max=total - warm)
schedule = SequentialLR(opt, [up, down], milestones=[warm])
for _ in range(total):
    x = torch.randn(32, 5)
    loss = (net(x) - x.amax(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    schedule.step()
print(f"loss {loss.item():.4f}, rate {opt.param_groups[0]['lr']:.2g}")
