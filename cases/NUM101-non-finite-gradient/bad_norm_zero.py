"""A triplet-like distance is raised to the power 0.5, which has no finite slope where two rows coincide."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
embed = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(embed.parameters(), lr=0.005)


def distance(a, b):
    difference = a - b
    return difference.pow(2).sum(dim=1).pow(0.5)  #~ NUM101


pool = torch.randn(200, 6)
label = (pool[:, 0] > 0).long()
for step in range(60):
    anchor = torch.randint(0, 200, (24,))
    same = torch.stack([(label == label[i]).nonzero()[step % 60, 0] for i in anchor])
    other = torch.stack([(label != label[i]).nonzero()[step % 60, 0] for i in anchor])
    a, p, n = embed(pool[anchor]), embed(pool[same]), embed(pool[other])
    loss = F.relu(distance(a, p) - distance(a, n) + 1.0).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
