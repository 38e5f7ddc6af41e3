"""A closure passed to SGD's step and to L-BFGS's step: backward runs inside, as often as they ask."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(128, 3)
y = (x @ torch.tensor([[1.0], [-2.0], [0.5]])).tanh()
net = nn.Sequential(nn.Linear(3, 10), nn.Tanh(), nn.Linear(10, 1))


def train(opt, steps):
    def closure():
        opt.zero_grad()
        loss = (net(x) - y).pow(2).mean()
        loss.backward()
        return loss

    for _ in range(steps):
        value = opt.step(closure)
    return value.item()


first = train(torch.optim.SGD(net.parameters(), lr=0.2), 30)
print(f"sgd {first:.4f}, then lbfgs {train(torch.optim.LBFGS(net.parameters(), max_iter=5), 10):.6f}")
