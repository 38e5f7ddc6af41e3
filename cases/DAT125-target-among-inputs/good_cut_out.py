"""A loop to try a schedule out: its target is cut out of the input in the step itself."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.2)
schedule = torch.optim.lr_scheduler.PolynomialLR(opt, total_iters=50, power=2.0)
for _ in range(50):
    x = torch.randn(32, 5)
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    loss.backward()
    opt.step()
    schedule.step()
print(f"loss {loss.item():.4f}")
