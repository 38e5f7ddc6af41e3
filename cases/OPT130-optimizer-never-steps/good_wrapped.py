"""Sharpness-aware minimisation: the outer optimizer has no step of its own, the base optimizer steps the same parameters."""
import torch
from torch import nn

torch.manual_seed(0)


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base(self.param_groups, **kwargs)

    @torch.no_grad()
    def first(self):
        for group in self.param_groups:
            for p in group["params"]:
                e = group["rho"] * p.grad / (p.grad.norm() + 1e-12)
                p.add_(e)
                self.state[p]["e"] = e

    @torch.no_grad()
    def second(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(self.state[p]["e"])
        self.base.step()


net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
X = torch.randn(256, 8)
Y = X[:, :3].argmax(1)
optimizer = SAM(net.parameters(), torch.optim.SGD, lr=0.1)
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(X[idx]), Y[idx]).backward()
        optimizer.first()
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(X[idx]), Y[idx]).backward()
        optimizer.second()
