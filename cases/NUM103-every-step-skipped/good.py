"""The scaler is updated after each step: a few skips at the start, and training goes on."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**40)
x = torch.randn(256, 16) * 30
y = (x @ torch.randn(16, 4)).argmax(1)
for rows in [i for _ in range(8) for i in torch.randperm(256).split(32)]:
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.cross_entropy(net(x[rows]).float(), y[rows])
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
print(f"loss {loss.item():.3f}, scale 2**{torch.tensor(scaler.get_scale()).log2().item():.0f}")
