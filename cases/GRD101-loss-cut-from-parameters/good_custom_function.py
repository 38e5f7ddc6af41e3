"""A custom autograd Function goes through numpy in forward and in backward, so nothing is cut."""
import numpy as np
import torch
from torch import nn


class NumpySoftplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.from_numpy(np.logaddexp(0.0, x.detach().numpy()))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * torch.from_numpy(1.0 / (1.0 + np.exp(-x.numpy())))


torch.manual_seed(0)
torch.set_num_threads(1)
first, second = nn.Linear(3, 24), nn.Linear(24, 1)
opt = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.01)
for _ in range(60):
    x = torch.randn(48, 3)
    out = second(NumpySoftplus.apply(first(x)))
    loss = (out - x.abs().sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
