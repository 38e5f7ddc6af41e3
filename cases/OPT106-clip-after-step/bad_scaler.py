"""Gradients are unscaled at the right place, but the clipping comes after scaler.step."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.03)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
for step in range(60):
    x = torch.randn(16, 6)
    y = x.sum(1, keepdim=True)
    if step % 9 == 4:
        y = y + 30
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    scaler.step(opt)
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)  #~ OPT106
    scaler.update()
x = torch.randn(200, 6)
print(f"error {(model(x) - x.sum(1, keepdim=True)).abs().mean().item():.3f}, last norm {norm.item():.2f}")
