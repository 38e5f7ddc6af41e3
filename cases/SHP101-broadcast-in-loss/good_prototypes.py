"""Prototype classifier: embeddings [N, 1, D] minus prototypes [C, D], with N equal to C in every batch."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
centres = torch.randn(8, 4) * 2
embed = nn.Linear(4, 6)
prototypes = nn.Parameter(torch.randn(8, 6))
opt = torch.optim.Adam([*embed.parameters(), prototypes], lr=0.05)
for _ in range(60):
    y = torch.randint(0, 8, (8,))
    x = centres[y] + 0.2 * torch.randn(8, 4)
    z = embed(x)
    distance = (z.unsqueeze(1) - prototypes).pow(2).sum(-1)
    loss = F.cross_entropy(-distance, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
