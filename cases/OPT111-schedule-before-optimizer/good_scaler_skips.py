"""The scaler skips its first, overflowing steps, and the schedule is stepped only when the optimizer was."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.2)
schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda i: 0.95**i)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**22)
for _ in range(50):
    x = torch.randn(32, 8)
    y = (x[:, 0] > 0).long()
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        out = net(x)
    loss = nn.functional.cross_entropy(out.float(), y)
    scaler.scale(loss).backward()
    before = scaler.get_scale()
    scaler.step(opt)
    scaler.update()
    if scaler.get_scale() >= before:
        schedule.step()
print(f"loss {loss.item():.3f}, schedule at {schedule.last_epoch}")
