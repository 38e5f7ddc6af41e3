"""After unfreezing both the optimizer and its schedule are made anew."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))
x = torch.randn(96, 8)
y = (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long()
model[0].requires_grad_(False)


def trainable(epochs):
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.2, momentum=0.9)
    return optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)


optimizer, schedule = trainable(2)
for epoch in range(12):
    if epoch == 2:
        model[0].requires_grad_(True)
        optimizer, schedule = trainable(10)
    for rows in torch.randperm(96).split(16):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    schedule.step()
print(f"loss {loss.item():.3f}")
