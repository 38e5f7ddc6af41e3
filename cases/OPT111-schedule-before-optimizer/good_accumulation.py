"""With accumulation the schedule is stepped right after each optimizer step, and then several backwards follow."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(480, 6)
Y = X @ torch.randn(6, 1)
net = nn.Linear(6, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.3)
schedule = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.3, total_steps=40)
for epoch in range(5):
    for i, idx in enumerate(torch.randperm(480).split(20)):
        (nn.functional.mse_loss(net(X[idx]), Y[idx]) / 3).backward()
        if i % 3 == 2:
            opt.step()
            schedule.step()
            opt.zero_grad()
print(f"loss {nn.functional.mse_loss(net(X), Y).item():.4f}")
