"""Sigmoid gates and attention inside the network, with one sigmoid at its end, also used for a metric."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
gate, value, score, out = nn.Linear(6, 12), nn.Linear(6, 12), nn.Linear(12, 1), nn.Linear(12, 1)
opt = torch.optim.Adam([p for m in (gate, value, score, out) for p in m.parameters()], lr=0.02)
for step in range(40):
    x = torch.randn(24, 5, 6)
    h = torch.sigmoid(gate(x)) * torch.tanh(value(x))
    weight = torch.softmax(torch.sigmoid(score(h)), dim=1)
    p = torch.sigmoid(out((weight * h).sum(1))).squeeze(1)
    loss = F.binary_cross_entropy(p, (x[:, :, 0].sum(1) > 0).float())
    sharp = torch.sigmoid(10 * (p - 0.5))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}, sharp {sharp.mean().item():.2f}")
