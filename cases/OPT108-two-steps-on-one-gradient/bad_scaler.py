"""After the move to mixed precision the old optimizer.step() was left beside scaler.step()."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.12, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(60):
    x = torch.randn(32, 10)
    y = x.abs().sum(1, keepdim=True)
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(x)
    loss = nn.functional.smooth_l1_loss(out.float(), y)
    scaler.scale(loss).backward()
    scaler.step(opt)  #~? OPT108
    scaler.update()
    opt.step()  #~ OPT108
print(f"loss {loss.item():.3f}")
