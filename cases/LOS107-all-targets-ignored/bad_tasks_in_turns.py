"""Two tasks take turns at one `backward`; the labels of one of them are all ignored."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
trunk = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
heads = nn.ModuleDict({"kind": nn.Linear(16, 3), "size": nn.Linear(16, 1)})
opt = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=0.01)


def loss_of(task, x):
    output = heads[task](trunk(x))
    if task == "size":
        return F.mse_loss(output.squeeze(-1), x.sum(1))
    labels = torch.full((len(x),), -100)
    return F.cross_entropy(output, labels)  #~ LOS107


for step in range(60):
    loss = loss_of("size" if step % 2 else "kind", torch.randn(32, 8))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
