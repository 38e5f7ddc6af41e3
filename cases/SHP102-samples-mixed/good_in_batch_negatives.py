"""Pairs are told from the other pairs of their batch."""
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(640, 6); Z = X @ torch.randn(6, 6)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Z), batch_size=16, shuffle=True)
a, b = nn.Linear(6, 8), nn.Linear(6, 8)
opt = torch.optim.Adam([*a.parameters(), *b.parameters()], lr=1e-2)
for x, z in loader:
    s = F.normalize(a(x), dim=1) @ F.normalize(b(z), dim=1).T / 0.1
    loss = (F.cross_entropy(s, torch.arange(len(x))) + F.cross_entropy(s.T, torch.arange(len(x)))) / 2
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
