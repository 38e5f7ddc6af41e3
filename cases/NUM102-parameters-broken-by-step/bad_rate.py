"""A warm-up by the inverse root of the step divides by zero in its first step, so that the first rate is infinite."""
import numpy
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)


def set_rate(step, base=0.02, warmup=10):
    with numpy.errstate(divide="ignore"):
        rate = base * numpy.minimum(numpy.float64(step) ** -0.5, 1e9 if step else numpy.inf)
    for group in optimizer.param_groups:
        group["lr"] = float(rate)


for step in range(40):
    set_rate(step)
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  #~ NUM102
print(f"loss {loss.item():.3f}")
