"""A step schedule that is stepped once per epoch, after the loop over batches."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 6)
Y = X @ torch.randn(6, 1)
model = nn.Linear(6, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.2)
scheduler = torch.optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.3)
for epoch in range(6):
    for idx in torch.randperm(256).split(32):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(X[idx]), Y[idx])
        loss.backward()
        opt.step()
    scheduler.step()
print(f"loss {loss.item():.2g}, rate {scheduler.get_last_lr()[0]:.4f}")
