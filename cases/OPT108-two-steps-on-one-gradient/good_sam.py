"""Sharpness-aware minimization written by hand: an ascent, a second backward, and one step of the base optimizer."""
import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self):
        grads = [p for g in self.param_groups for p in g["params"] if p.grad is not None]
        norm = torch.stack([p.grad.norm() for p in grads]).norm() + 1e-12
        for p in grads:
            self.state[p]["old"] = p.clone()
            p.add_(p.grad, alpha=self.param_groups[0]["rho"] / norm.item())
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for g in self.param_groups:
            for p in g["params"]:
                p.copy_(self.state[p]["old"])
        self.base.step()
        self.zero_grad()


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
Y = (X[:, 0] * X[:, 1] > 0).long()
net = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 2))
opt = SAM(net.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
for idx in [i for _ in range(5) for i in torch.randperm(256).split(32)]:
    nn.functional.cross_entropy(net(X[idx]), Y[idx]).backward()
    opt.first_step()
    loss = nn.functional.cross_entropy(net(X[idx]), Y[idx])
    loss.backward()
    opt.second_step()
print(f"loss {loss.item():.3f}")
