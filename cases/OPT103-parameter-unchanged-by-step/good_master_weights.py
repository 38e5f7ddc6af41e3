"""bfloat16 working weights with float32 masters that take the small updates; the copies may stay as they are for a while."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
work = nn.Linear(8, 1).bfloat16()
masters = [p.detach().float().clone().requires_grad_() for p in work.parameters()]
opt = torch.optim.Adam(masters, lr=2e-3)
for _ in range(80):
    x = torch.randn(64, 8)
    loss = (work(x.bfloat16()).float() - 0.2 * x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    for m, p in zip(masters, work.parameters()):
        m.grad, p.grad = p.grad.float(), None
    opt.step()
    with torch.no_grad():
        for m, p in zip(masters, work.parameters()):
            p.copy_(m)
print(f"loss {loss.item():.4f}")
