"""Autocast names the graphics card while the model is on the processor."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = x.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
for step in range(20):
    chosen = torch.randint(0, 256, (32,))
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        loss = nn.functional.mse_loss(model(x[chosen]), y[chosen])
    scaler.scale(loss).backward()  #~ NUM140
    scaler.step(optimizer)
    scaler.update()
print(f"loss {loss.item():.4f}")
