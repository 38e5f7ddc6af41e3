"""bfloat16 autocast needs no scaler; the gradients are plain and may be clipped."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 32), nn.SiLU(), nn.Linear(32, 6))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(50):
    x = torch.randn(32, 6)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x)
        loss = nn.functional.mse_loss(out, x.cumsum(1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
print(f"loss {loss.item():.3f}")
