"""Two networks with two schedules: a slip steps the second one twice and the first one never."""
import torch
from torch import nn
from torch.optim import lr_scheduler
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
g = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
d = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
opt_g = torch.optim.Adam(g.parameters(), lr=5e-3)
opt_d = torch.optim.Adam(d.parameters(), lr=5e-3)
sched_g = lr_scheduler.StepLR(opt_g, step_size=2, gamma=0.5)  #~ OPT109
sched_d = lr_scheduler.StepLR(opt_d, step_size=2, gamma=0.5)
for epoch in range(6):
    for _ in range(10):
        fake = g(torch.randn(32, 4))
        loss_d = F.softplus(d(fake.detach())).mean() + F.softplus(-d(torch.randn(32, 2) + 1)).mean()
        opt_d.zero_grad()
        loss_d.backward()
        opt_d.step()
        loss_g = F.softplus(-d(fake)).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
    sched_d.step()
    sched_d.step()
print(f"rates {opt_g.param_groups[0]['lr']:.5f} {opt_d.param_groups[0]['lr']:.5f}")
