"""The sum of two micro-batches is halved by hand while it is still scaled, which comes to the same."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = x.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
for step in range(30):
    chosen = torch.randint(0, 256, (32,))
    optimizer.zero_grad()
    for part in chosen.split(16):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(model(x[part]), y[part])
        scaler.scale(loss).backward()
    for p in model.parameters():
        if p.grad is not None:
            p.grad.div_(2)
    scaler.step(optimizer)
    scaler.update()
print(f"loss {loss.item():.4f}")
