"""The schedule of a dummy optimizer is drawn into a table, and the table's rates are set by hand in the loop."""
import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR

torch.manual_seed(0)
torch.set_num_threads(1)


def curve(peak, steps):
    dummy = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=peak)
    schedule = OneCycleLR(dummy, max_lr=peak, total_steps=steps)
    rates = [schedule.get_last_lr()[0]]
    for _ in range(steps - 1):
        dummy.step()
        schedule.step()
        rates.append(schedule.get_last_lr()[0])
    return rates


net = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.3)
for rate in curve(0.3, 50):
    for group in opt.param_groups:
        group["lr"] = rate
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(net(x), x.mean(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.4f}, last rate {rate:.2g}")
