"""A frozen embedding sits in an optimizer group; requires_grad_(False) says that it is meant to stay."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
table = nn.Embedding(30, 8)
table.weight.requires_grad_(False)
rest = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.Adam([{"params": table.parameters(), "lr": 0.001}, {"params": rest.parameters()}], lr=0.02)
label_of = (torch.arange(30) % 3 == 0).long()
for _ in range(60):
    token = torch.randint(0, 30, (48,))
    loss = nn.functional.cross_entropy(rest(table(token)), label_of[token])
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
