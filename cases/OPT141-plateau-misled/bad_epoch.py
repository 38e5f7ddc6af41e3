"""The number of the epoch is handed to a schedule that takes a metric, as other schedules once took it."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 4)
y = x.sum(1, keepdim=True)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
for epoch in range(12):
    for i in range(0, 256, 64):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[i : i + 64]), y[i : i + 64])
        loss.backward()
        optimizer.step()
    scheduler.step(epoch)  #~ OPT141
print(f"loss {loss.item():.4f}, rate {optimizer.param_groups[0]['lr']:.6f}")
