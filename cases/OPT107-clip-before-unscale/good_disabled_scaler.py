"""The scaler is disabled, as on a machine without half precision, so clipping without unscale_ is right."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
use_amp = False
model = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", enabled=use_amp)
for _ in range(60):
    x = torch.randn(32, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=use_amp):
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 2.0)
    scaler.step(opt)
    scaler.update()
print(f"loss {loss.item():.4f}")
