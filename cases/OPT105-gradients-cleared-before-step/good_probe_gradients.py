"""Each task's gradient norm is measured with a backward of its own and cleared before the real backward."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
trunk = nn.Sequential(nn.Linear(6, 32), nn.Tanh())
first, second = nn.Linear(32, 1), nn.Linear(32, 1)
model = nn.ModuleList([trunk, first, second])
opt = torch.optim.Adam(model.parameters(), lr=0.01)


def norm_of(loss):
    loss.backward(retain_graph=True)
    value = trunk[0].weight.grad.norm().item()
    opt.zero_grad()
    return value


for step in range(40):
    x = torch.randn(48, 6)
    h = trunk(x)
    a = (first(h) - x[:, :1]).pow(2).mean()
    b = (second(h) - 5 * x[:, 1:2]).pow(2).mean()
    na, nb = norm_of(a), norm_of(b)
    total = a / (na + 1e-3) + b / (nb + 1e-3)
    total.backward()
    opt.step()
    opt.zero_grad()
print(f"losses {a.item():.3f} {b.item():.3f}")
