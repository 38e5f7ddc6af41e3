"""After unfreezing the body is added to the optimizer that there is, and its schedule moves both rates."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))
x = torch.randn(96, 8)
y = (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long()
model[0].requires_grad_(False)
optimizer = torch.optim.SGD(model[2].parameters(), lr=0.2, momentum=0.9)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
for epoch in range(12):
    if epoch == 2:
        model[0].requires_grad_(True)
        optimizer.add_param_group({"params": model[0].parameters(), "lr": 0.05})
        schedule.base_lrs.append(0.05)
    for rows in torch.randperm(96).split(16):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    schedule.step()
print(f"loss {loss.item():.3f}")
