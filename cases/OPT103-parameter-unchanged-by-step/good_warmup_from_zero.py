"""A warm-up that starts at a rate of exactly zero leaves the weights alone in the first step only."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.AdamW(net.parameters(), lr=0.02)
total, warm = 60, 10
schedule = torch.optim.lr_scheduler.LambdaLR(
    opt, lambda s: s / warm if s < warm else max(0.0, (total - s) / (total - warm))
)
for _ in range(total):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    schedule.step()
print(f"loss {loss.item():.4f}")
