"""unscale_, then clip, then step, then update."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.AdamW(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for _ in range(50):
    x = torch.randn(32, 8)
    y = x[:, :3].argmax(1)
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = net(x)
    loss = nn.functional.cross_entropy(logits.float(), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
print(f"loss {loss.item():.3f}")
