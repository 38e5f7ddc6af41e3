"""Alternating optimizers: one's schedule is stepped just before the other's step, each after its own."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, head = nn.Sequential(nn.Linear(4, 24), nn.Tanh()), nn.Linear(24, 1)
opt_b, opt_h = torch.optim.Adam(body.parameters(), lr=0.02), torch.optim.SGD(head.parameters(), lr=0.05)
sched_b = torch.optim.lr_scheduler.LinearLR(opt_b, 1.0, 0.1, total_iters=50)
sched_h = torch.optim.lr_scheduler.CosineAnnealingLR(opt_h, T_max=50)
for _ in range(50):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(head(body(x)), x.sum(1, keepdim=True))
    opt_b.zero_grad()
    opt_h.zero_grad()
    loss.backward()
    opt_b.step()
    sched_b.step()
    opt_h.step()
    sched_h.step()
print(f"loss {loss.item():.3f}")
