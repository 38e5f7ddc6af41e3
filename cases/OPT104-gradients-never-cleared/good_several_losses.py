"""Three losses, three backward calls, one step, then one zero_grad: the sum is what is wanted."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
trunk = nn.Sequential(nn.Linear(5, 32), nn.ReLU())
heads = nn.ModuleList([nn.Linear(32, 1) for _ in range(3)])
opt = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=0.01)
for _ in range(50):
    x = torch.randn(32, 5)
    targets = [x[:, :1], x[:, 1:2] ** 2, x.sum(1, keepdim=True)]
    h = trunk(x)
    losses = [(head(h) - t).pow(2).mean() for head, t in zip(heads, targets)]
    for i, loss in enumerate(losses):
        loss.backward(retain_graph=i < 2)
    opt.step()
    opt.zero_grad()
print(f"losses {[round(v.item(), 3) for v in losses]}")
