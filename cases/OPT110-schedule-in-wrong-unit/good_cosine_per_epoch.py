"""T_max counts epochs and the schedule is stepped per epoch."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 5)
Y = (X[:, :2].sum(1) > 0).long()
epochs = 6
net = nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
for epoch in range(epochs):
    for idx in torch.randperm(240).split(24):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(X[idx]), Y[idx])
        loss.backward()
        opt.step()
    schedule.step()
print(f"loss {loss.item():.3f}, rate {schedule.get_last_lr()[0]:.2g}")
