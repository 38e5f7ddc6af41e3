"""CosineAnnealingWarmRestarts is stepped with a fractional epoch per batch; its rises are meant."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 6)
Y = X @ torch.randn(6, 2)
model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
restarts = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=1, T_mult=2)
batches = 10
for epoch in range(7):
    for i, idx in enumerate(torch.randperm(320).chunk(batches)):
        loss = nn.functional.mse_loss(model(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        restarts.step(epoch + (i + 1) / batches)
print(f"loss {loss.item():.4f}")
