"""LoRA: B starts at zero, so A's gradient is exactly zero in the first step, and the base weight is frozen."""
import torch
from torch import nn


class LoraLinear(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, base.in_features) * 0.3)
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.a.T @ self.b.T


torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(LoraLinear(nn.Linear(6, 16)), nn.Tanh(), LoraLinear(nn.Linear(16, 1)))
opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.2)
for _ in range(70):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(net(x), x[:, :1] - x[:, 1:2])
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
