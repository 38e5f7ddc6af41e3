"""With a gradient scaler and zeros in place of None, a misplaced zero_grad leaves the scaler nothing to step on."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4, 32), nn.GELU(), nn.Linear(32, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
log = []
for step in range(50):
    x = torch.randn(32, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x)
    loss = nn.functional.mse_loss(out.float(), x.sum(1, keepdim=True))
    scaler.scale(loss).backward()
    log.append(loss.item())
    opt.zero_grad(set_to_none=False)  #~ OPT105
    scaler.step(opt)
    scaler.update()
print(f"loss {log[0]:.3f} -> {log[-1]:.3f}")
