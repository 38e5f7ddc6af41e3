"""After the step the norm is only measured: clip_grad_norm_ with an infinite bound, and get_total_norm."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
log = []
for _ in range(50):
    x = torch.randn(32, 5)
    y = (x[:, 0] > 0).long()
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    log.append(nn.utils.clip_grad_norm_(net.parameters(), float("inf")).item())
total = nn.utils.get_total_norm([p.grad for p in net.parameters()]).item()
print(f"loss {loss.item():.3f}, norm {log[0]:.3f} -> {total:.3f}")
