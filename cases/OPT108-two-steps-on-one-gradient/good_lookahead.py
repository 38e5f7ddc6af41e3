"""A Lookahead wrapper is an Optimizer whose step calls the inner optimizer's step: two step calls, one update."""
import torch
from torch import nn


class Lookahead(torch.optim.Optimizer):
    def __init__(self, inner, k=5, alpha=0.5):
        self.inner, self.k, self.alpha, self.count = inner, k, alpha, 0
        super().__init__(inner.param_groups, {})
        self.slow = {p: p.detach().clone() for g in self.param_groups for p in g["params"]}

    def step(self, closure=None):
        loss = self.inner.step(closure)
        self.count += 1
        if self.count % self.k == 0:
            with torch.no_grad():
                for p, s in self.slow.items():
                    s.add_(p - s, alpha=self.alpha)
                    p.copy_(s)
        return loss

    def zero_grad(self, set_to_none=True):
        self.inner.zero_grad(set_to_none)


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
opt = Lookahead(torch.optim.Adam(model.parameters(), lr=0.02))
for _ in range(60):
    x = torch.randn(32, 5)
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), x[:, :1].abs())
    loss.backward()
    opt.step()
print(f"loss {loss.item():.4f}")
