"""Two optimizers share a scaler that is updated once for both, and begins at a scale far too large."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, head = nn.Linear(8, 16), nn.Linear(16, 1)
optimizers = [torch.optim.SGD(body.parameters(), lr=0.01), torch.optim.Adam(head.parameters(), lr=0.01)]
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**50, growth_interval=10)
x = torch.randn(320, 8)
y = x.sum(1, keepdim=True)
for rows in [i for _ in range(6) for i in torch.randperm(320).split(32)]:
    for optimizer in optimizers:
        optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        out = head(torch.tanh(body(x[rows])))
    loss = nn.functional.mse_loss(out.float(), y[rows])
    scaler.scale(loss).backward()
    for optimizer in optimizers:
        scaler.step(optimizer)
    scaler.update()
print(f"loss {loss.item():.3f}")
