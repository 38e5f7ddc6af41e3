"""The schedule is stepped at the head of each epoch but the first, which is right."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 7)
Y = (X @ torch.randn(7, 3)).argmax(1)
model = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(model.parameters(), lr=0.02)
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.5)
for epoch in range(6):
    if epoch > 0:
        schedule.step()
    for idx in torch.randperm(240).split(24):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(X[idx]), Y[idx])
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
