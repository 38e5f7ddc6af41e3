"""A linear decay over all steps is stepped once per epoch, so the rate hardly moves."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
EPOCHS, BATCHES = 6, 12
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
total = EPOCHS * BATCHES
schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=total)  #~ OPT110
for epoch in range(EPOCHS):
    for _ in range(BATCHES):
        x = torch.randn(16, 6)
        y = x[:, :1] - x[:, 1:2] + torch.randn(16, 1)
        loss = nn.functional.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    schedule.step()  #~? OPT110
print(f"last rate {optimizer.param_groups[0]['lr']:.4f} of 0.0500")
