"""A self-training module calls its own zero_grad after backward, before the optimizer is stepped by the caller."""
import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 20), nn.ReLU(), nn.Linear(20, 1))

    def loss(self, x, y):
        return (self.net(x) - y).abs().mean()

    def accumulate(self, x, y):
        self.loss(x, y).backward()
        self.zero_grad()  #~ OPT105


torch.manual_seed(0)
torch.set_num_threads(1)
reg = Regressor()
opt = torch.optim.RMSprop(reg.parameters(), lr=0.005)
x = torch.randn(200, 3)
y = x.max(dim=1, keepdim=True).values
for _ in range(60):
    idx = torch.randint(0, 200, (40,))
    reg.accumulate(x[idx], y[idx])
    opt.step()
print(f"error {reg.loss(x, y).item():.3f}")
