"""The gradients stay scaled, but the bound is multiplied by the current scale, which comes to the same."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2048.0, growth_interval=20)
for _ in range(60):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(net(x), x[:, :1] - x[:, 1:2])
    opt.zero_grad()
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0 * scaler.get_scale())
    scaler.step(opt)
    scaler.update()
print(f"loss {loss.item():.4f}")
