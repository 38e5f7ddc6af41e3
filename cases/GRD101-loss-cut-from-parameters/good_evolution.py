"""An evolution strategy: everything runs under no_grad and the gradient is estimated and assigned by hand."""
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
w = torch.randn(4, 1)


@torch.no_grad()
def score(vector, x):
    vector_to_parameters(vector, net.parameters())
    return (net(x) - x @ w).pow(2).mean()


for _ in range(60):
    x = torch.randn(64, 4)
    centre = parameters_to_vector(net.parameters()).detach().clone()
    noise = torch.randn(16, centre.numel())
    gap = torch.stack([score(centre + 0.05 * n, x) - score(centre - 0.05 * n, x) for n in noise])
    grad = (gap[:, None] * noise).mean(0) / 0.1
    vector_to_parameters(centre, net.parameters())
    start = 0
    for p in net.parameters():
        p.grad = grad[start : start + p.numel()].view_as(p).clone()
        start += p.numel()
    opt.step()
print(f"loss {score(centre, x).item():.4f}")
