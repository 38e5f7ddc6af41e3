"""The body is unfrozen after two epochs and gets a new optimizer; the schedule goes on with the one before it."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))
x = torch.randn(96, 8)
y = (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long()
model[0].requires_grad_(False)


def trainable():
    return torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.2, momentum=0.9)


optimizer = trainable()
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
for epoch in range(12):
    if epoch == 2:
        model[0].requires_grad_(True)
        optimizer = trainable()
    for rows in torch.randperm(96).split(16):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    schedule.step()  #~ OPT115
print(f"loss {loss.item():.3f}")
