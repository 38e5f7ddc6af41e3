"""A hand-written Adagrad divides by the root of a sum that is still zero."""
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)

class Ada(torch.optim.Optimizer):
    def __init__(self, params, lr): super().__init__(params, dict(lr=lr))
    @torch.no_grad()
    def step(self, closure=None):
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is None: continue
                s = self.state[p].setdefault("sum", torch.zeros_like(p))
                s.add_(p.grad ** 2)
                p.sub_(g["lr"] * p.grad / s.sqrt())  #~ NUM102
emb = nn.Embedding(10, 4); head = nn.Linear(4, 1)
opt = Ada([*emb.parameters(), *head.parameters()], lr=0.01)
for step in range(60):
    i = torch.randint(0, 5, (16,))
    loss = (head(emb(i)) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item(), emb.weight.sum().item())
