"""InfoNCE within the batch: the first batch of a bucketed sampler happens to hold one pair, the others more."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
left, right = nn.Linear(6, 8), nn.Linear(4, 8)
opt = torch.optim.Adam([*left.parameters(), *right.parameters()], lr=0.02)
mixing = torch.randn(4, 6)
for size in [1, 7, 16, 16, 16, 16, 16] * 5:
    b = torch.randn(size, 4)
    a = b @ mixing
    logits = F.normalize(left(a), dim=1) @ F.normalize(right(b), dim=1).T / 0.2
    loss = F.cross_entropy(logits, torch.arange(size))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
