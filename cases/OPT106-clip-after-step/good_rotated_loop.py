"""A rotated loop: each pass clips and applies the gradient that the pass before has computed."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
pending = False
losses = []
for _ in range(61):
    if pending:
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
        pending = False
        if len(losses) == 60:
            break
    x = torch.randn(32, 4)
    loss = (net(x) - x.norm(dim=1, keepdim=True)).pow(2).mean()
    loss.backward()
    losses.append(loss.item())
    pending = True
print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}")
